// The npm client `openai` at our endpoint: chat, streams, models, errors. Run by tests/cli/serve_client.sh.
import { createRequire } from "module";
const OpenAI = createRequire(process.cwd() + "/")("openai");
const c = new OpenAI({baseURL: process.argv[2], apiKey: 'EMPTY', maxRetries: 0});
const q = [{role: 'user', content: 'Problem\nFormula, clause after clause: C0: +v0 +v1 -v2.\n C1: -v0 +v2 +v3.\nThis is all of it.\n\nSituation\nState: v0 open v1 open v2 open v3 open.\n Look at clause C0: +v0 open +v1 open -v2 open ;\n\n\nChoices\n1. go back\n2. v0\n3. v1\n4. v2\n5. v3\nAnswer with one number.'}];
const out = {};
const list = []; for await (const m of c.models.list()) list.push(m.id);
out.models = list;
out.one = (await c.models.retrieve(list[0])).id;
try { await c.models.retrieve('nothing'); } catch (e) { out.noModel = [e.constructor.name, e.status, e.code]; }
const a = await c.chat.completions.create({model: list[0], messages: q, temperature: 0.7, logprobs: true, top_logprobs: 3});
out.chat = [a.choices[0].message.content, a.choices[0].finish_reason, a.note, a.choices[0].logprobs.content[0].top_logprobs.length, a.usage.completion_tokens];
const parts = await c.chat.completions.create({model: list[0], messages: [{role: 'user', content: [{type: 'text', text: q[0].content}]}]});
out.parts = parts.choices[0].message.content;
let text = '', role, end, usage;
for await (const e of await c.chat.completions.create({model: list[0], messages: q, stream: true, stream_options: {include_usage: true}})) {
  text += e.choices[0]?.delta?.content ?? ''; role ??= e.choices[0]?.delta?.role; end = e.choices[0]?.finish_reason ?? end; usage = e.usage ?? usage; }
out.stream = [text, role, end, usage?.total_tokens > 10];
const helper = await c.chat.completions.stream({model: list[0], messages: q}).finalChatCompletion();
out.helper = helper.choices[0].message.content;
let flat = ''; for await (const e of await c.completions.create({model: list[0], prompt: '### User\n' + q[0].content + '\n### Assistant\n', stream: true})) flat += e.choices[0].text;
out.flat = flat;
for (const [name, more] of Object.entries({tools: {tools: [{type: 'function', function: {name: 'f', parameters: {}}}]}, response_format: {response_format: {type: 'json_object'}}, n: {n: 2}, image: {messages: [{role: 'user', content: [{type: 'image_url', image_url: {url: 'x'}}]}]}, temperature: {temperature: 3}}))
  try { await c.chat.completions.create({model: list[0], messages: q, ...more}); out[name] = 'answered'; } catch (e) { out[name] = [e.constructor.name, e.status, String(e.message).slice(0, 90)]; }
const want = (name, truth) => { if (!truth) { console.log(`${name}: ${JSON.stringify(out[name])}`); process.exitCode = 1; } };
want('models', out.models.join() === 'ssa,causal');
want('one', out.one === 'ssa');
want('noModel', out.noModel.join() === 'NotFoundError,404,model_not_found');
want('chat', /^[1-5]$/.test(out.chat[0]) && out.chat[1] === 'stop' && /taken as 0/.test(out.chat[2]) && out.chat[3] === 3);
want('stream', out.stream[0] === out.chat[0] && out.stream[1] === 'assistant' && out.stream[2] === 'stop' && out.stream[3]);
for (const name of ['parts', 'helper', 'flat']) want(name, out[name] === out.chat[0]);
for (const name of ['tools', 'response_format', 'n', 'image', 'temperature']) want(name, out[name][0] === 'BadRequestError' && out[name][1] === 400);
