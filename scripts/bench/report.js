export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
export const percent = (value) => `${(100 * value).toFixed(1)} %`;

/** Prints a table with right-aligned columns under its title. */
export function table(title, head, rows) {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
  const line = (cells) => `  ${cells.map((cell, i) => cell.padStart(widths[i])).join('   ')}`;
  console.log(`\n${title}\n${[head, ...rows].map(line).join('\n')}`);
}
