"""The SSA mask in a PyTorch model of your own: one boolean array.

    python3 examples/mask_torch.py          # needs torch

Two histories lead to the same last block. Under SSA its outputs are equal to
the bit; under a causal mask they are not."""
import torch
import statewise


class Attention(torch.nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.qkv, self.out = heads, torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

    def forward(self, x, sees):  # x: [tokens, width], sees: [tokens, tokens], True: the row sees the column
        q, k, v = self.qkv(x).view(len(x), 3, self.heads, -1).permute(1, 2, 0, 3)
        score = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).masked_fill(~sees, float("-inf"))
        y = score.softmax(-1) @ v  # or scaled_dot_product_attention(q, k, v, attn_mask=sees)
        return self.out(y.transpose(0, 1).reshape(len(x), -1))


torch.manual_seed(0)
layer, embed = Attention(32, 4), torch.nn.Embedding(50, 32)
blocks = [0] * 6 + [1] * 4 + [2] * 4  # a problem and two decision blocks
one = [1, 2, 3, 4, 5, 6, 20, 21, 22, 23, 30, 31, 32, 33]
two = one[:6] + [40, 41, 42, 43] + one[10:]  # another first block, the same last one
for name in ("ssa", "causal-noslot"):
    sees = torch.from_numpy(statewise.mask(name, blocks))
    a, b = (layer(embed(torch.tensor(tokens)), sees)[10:] for tokens in (one, two))
    print(f"{name}: {'the same last block' if torch.equal(a, b) else 'another last block'}")
