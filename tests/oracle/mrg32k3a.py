"""L'Ecuyer's MRG32k3a, the generator of ns-2, in the form ns-2 seeds and uses it."""

M1, M2 = 4294967087, 4294944443
NORM = 2.328306549295727688e-10  # 1 / (M1 + 1), with the digits the reference code prints


class Mrg32k3a:
    """A stream of uniforms in [0, 1]; all six words of the state start equal to the seed."""

    def __init__(self, seed):
        self.a = [seed] * 3
        self.b = [seed] * 3

    def u01(self):
        """The generator's own output."""
        p1 = (1403580 * self.a[1] - 810728 * self.a[0]) % M1
        p2 = (527612 * self.b[2] - 1370589 * self.b[0]) % M2
        self.a = [self.a[1], self.a[2], p1]
        self.b = [self.b[1], self.b[2], p2]
        return (p1 - p2 if p1 > p2 else p1 - p2 + M1) * NORM

    def uniform(self, low=0.0, high=1.0):
        """ns-2's uniform: a 31-bit integer drawn first, then divided by the largest of them."""
        return low + int(self.u01() * 2147483648) / 2147483647 * (high - low)


def uniforms(seed, count):
    """The first `count` uniforms after `seed`."""
    rng = Mrg32k3a(seed)
    return [rng.uniform() for _ in range(count)]
