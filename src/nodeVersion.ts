/** The oldest Node.js that the packages support, as `engines` in package.json says. */
const OLDEST = [22, 12] as const;

/** What to say when this Node.js is too old, or null. It imports nothing: on an older one much would not even load. */
export function nodeProblem(version = process.versions.node): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `Assay needs Node.js ${OLDEST.join('.')} or newer, and this is ${version}. Its npm scripts (npm start, npm run assay) bring their own after "npm ci".`;
}

/** Ends the process with a sentence, and no stack, where Node.js is too old. */
export function endOnOldNode(): void {
  const problem = nodeProblem();
  if (problem === null) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
