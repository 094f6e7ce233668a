/* The page's script: tables sort by a head and filter by a word. A page says
 * the same without it. */
#include "report/page.h"

static const char script[] =
    "for(const t of document.querySelectorAll('table')){\n"
    "const b=t.tBodies[0],rows=[...b.rows];if(rows.length<3)continue;\n"
    "const end=rows.filter(r=>r.className=='apart'),"
    "own=rows.filter(r=>r.className!='apart');\n"
    "const show=list=>b.append(...list,...end);\n"
    "const key=(r,i)=>{const s=r.cells[i]?r.cells[i].innerText:'',"
    "n=parseFloat(s.replace(/^[^0-9+.-]*(?=[+-]?[0-9])/,''));"
    "return /^[\\s(]*[+-]?[0-9.]/.test(s)&&!isNaN(n)?n:s};\n"
    "const by=(x,y)=>typeof x==typeof y?(x<y?-1:x>y?1:0):"
    "typeof x=='number'?-1:1;\n"
    "[...t.tHead.rows[0].cells].forEach((h,i)=>{h.tabIndex=0;"
    "h.title='sort';\n"
    "const sort=()=>{const up=h.getAttribute('aria-sort')=='descending';\n"
    "for(const o of t.tHead.rows[0].cells)o.removeAttribute('aria-sort');\n"
    "h.setAttribute('aria-sort',up?'ascending':'descending');\n"
    "show([...own].sort((x,y)=>(up?1:-1)*by(key(x,i),key(y,i))))};\n"
    "h.onclick=sort;"
    "h.onkeydown=e=>{if(e.key=='Enter'||e.key==' '){e.preventDefault();sort()}}"
    "});\n"
    "if(own.length>12){const f=document.createElement('input');"
    "f.className='filter';f.placeholder='filter rows';"
    "f.setAttribute('aria-label','filter rows');\n"
    "f.oninput=()=>{for(const r of own)r.hidden="
    "!r.innerText.toLowerCase().includes(f.value.toLowerCase())};"
    "(t.closest('.scroll')||t).before(f)}}\n";

void sw_page_end(FILE *out) {
  fprintf(out, "<script type=\"module\">\n%s</script>\n</body></html>\n",
          script);
}
