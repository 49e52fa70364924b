/** The value of the sample whose name and labels end with this pattern; `NaN` if there is none. */
export function valueIn(page: string, sample: string): number {
  const pattern = new RegExp(`^\\w*${sample.replaceAll(/[{}]/g, String.raw`\$&`)} (\\S+)$`, 'm');
  return Number(pattern.exec(page)?.[1] ?? Number.NaN);
}
