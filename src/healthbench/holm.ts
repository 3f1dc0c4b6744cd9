/**
 * p-values corrected for how many questions were asked, in the order given: each says at which level the whole
 * family would still reject its hypothesis. Step-down method of S. Holm (1979); valid for dependent tests, as
 * themes and axes of the same verdicts are.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, at) => at).sort((a, b) => (pValues[a] as number) - (pValues[b] as number));
  const adjusted = new Array<number>(pValues.length);
  let least = 0;
  for (const [rank, at] of order.entries()) {
    least = Math.max(least, Math.min(1, (pValues[at] as number) * (pValues.length - rank)));
    adjusted[at] = least;
  }
  return adjusted;
}
