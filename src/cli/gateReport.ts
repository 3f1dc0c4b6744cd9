import type { GateComparisonFragment } from '../client/generated/operations.js';
import { differenceText, type GateCase, type GateResult, type GateRules, signed } from './gateChecks.js';
import { clean } from './text.js';

/** A gate with all that a report says of it. */
export interface Gate extends GateCase {
  readonly rules: GateRules;
  readonly result: GateResult;
}

const marks = { passed: '✓', failed: '✗', unclear: '?', skipped: '–' } as const;
const icons = { passed: '✅', failed: '❌', unclear: '❓', skipped: '➖' } as const;
const words = { passed: 'PASSED', failed: 'FAILED', unclear: 'NOT JUDGED' } as const;
const titles = { passed: 'Gate passed', failed: 'Gate failed', unclear: 'Gate could not judge' } as const;

/** A gate for a person at a terminal. */
export function renderGate({ candidate, comparison, result }: Gate): string {
  const model = ({ name, modelUnderTest }: Gate['candidate']) => `${clean(name)} (${clean(modelUnderTest.model)})`;
  return [
    comparison === null ? model(candidate) : `${model(candidate)} against ${model(comparison.baseline)}`,
    ...result.checks.map(({ name, status, message }) => `${marks[status]} ${name.padEnd(10)} ${clean(message)}`),
    ...warningsOf(comparison, result).map((message) => `! ${clean(message)}`),
    words[result.outcome],
  ].join('\n');
}

/** They are about numbers, and of what could not be judged there are none to trust. */
function warningsOf(comparison: Gate['comparison'], { outcome }: GateResult): string[] {
  return outcome === 'unclear' ? [] : (comparison?.warnings ?? []).map(({ message }) => message);
}

const titleOf = ({ candidate, comparison }: Gate): string =>
  comparison === null ? candidate.name : `${candidate.name} against ${comparison.baseline.name}`;

/** Of JUnit; a check that could not be made is an error there. */
const elements = { failed: 'failure', unclear: 'error', skipped: 'skipped' } as const;

/** A test suite with one case a check, as CI systems read it (the dialect of Jenkins and GitLab). */
export function renderJunit(gate: Gate): string {
  const { candidate, comparison, rules, result } = gate;
  const overall = comparison?.overall;
  const count = (status: string) => result.checks.filter((check) => check.status === status).length;
  const counts = `tests="${result.checks.length}" failures="${count('failed')}" errors="${count('unclear')}" skipped="${count('skipped')}"`;
  const properties: [string, unknown][] = [
    ['candidate', candidate.id],
    ['score', candidate.score?.value],
    ['baseline', comparison?.baseline.id],
    ['difference', overall?.difference],
    ['low', overall?.interval?.low],
    ['high', overall?.interval?.high],
    ['conversations', overall?.conversations],
    ...Object.entries(rules),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="assay gate" ${counts}>`,
    `  <testsuite name="${xml(titleOf(gate))}" ${counts}>`,
    '    <properties>',
    ...properties.map(([name, value]) => `      <property name="${name}" value="${xml(String(value ?? ''))}"/>`),
    '    </properties>',
    ...result.checks.flatMap(({ name, status, message }) => [
      `    <testcase classname="assay.gate" name="${name}">`,
      status === 'passed'
        ? `      <system-out>${xml(message)}</system-out>`
        : `      <${elements[status]} message="${xml(message)}"/>`,
      '    </testcase>',
    ]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** For a pull request or the summary of a CI job. Names conversations by their ids and never shows their texts. */
export function renderMarkdown(gate: Gate): string {
  const { candidate, comparison, rules, result } = gate;
  const worsened = comparison?.worsened ?? [];
  const lines = [
    `### ${icons[result.outcome]} ${titles[result.outcome]}: ${md(titleOf(gate))}`,
    '',
    '| | check | |',
    '| --- | --- | --- |',
    ...result.checks.map(({ name, status, message }) => `| ${icons[status]} | ${name} | ${md(message)} |`),
    '',
    ...(comparison?.overall ? numbers(comparison, comparison.overall) : []),
    ...warningsOf(comparison, result).map((message) => `> ⚠️ ${md(message)}\n`),
  ];
  if (worsened.length > 0) {
    lines.push('| conversations that lost most | theme | baseline | candidate | |', '| --- | --- | --- | --- | --- |');
    for (const { candidate: row, baselineScore, candidateScore, difference } of worsened) {
      lines.push(
        `| ${md(row.promptId)} | ${md(row.theme ?? '')} | ${baselineScore.toFixed(3)} | ${candidateScore.toFixed(3)} | ${signed(difference)} |`,
      );
    }
    lines.push('');
  }
  const { maxDrop, mode, minScore, minCoverage } = rules;
  const drop = comparison === null ? '' : `Allowed drop ${maxDrop}, ${mode}; `;
  const least = minScore === null ? '' : `least score ${minScore}, `;
  const against = comparison === null ? '' : ` against \`${comparison.baseline.id}\``;
  lines.push(`${drop}${least}least coverage ${minCoverage}. Run \`${candidate.id}\`${against}.`, '');
  return lines.join('\n');
}

function numbers(
  { baseline, candidate }: GateComparisonFragment,
  overall: NonNullable<GateComparisonFragment['overall']>,
): string[] {
  return [
    '| | baseline | candidate | difference |',
    '| --- | --- | --- | --- |',
    `| model | ${md(baseline.modelUnderTest.model)} | ${md(candidate.modelUnderTest.model)} | |`,
    `| grader | ${md(baseline.grader.model)} | ${md(candidate.grader.model)} | |`,
    `| score of the ${overall.conversations} shared conversations | ${overall.baselineScore.toFixed(3)} | ${overall.candidateScore.toFixed(3)} | **${differenceText(overall)}** |`,
    `| better, equal, worse | | ${overall.wins}, ${overall.ties}, ${overall.losses} | p = ${overall.pValue.toPrecision(2)} |`,
    '',
  ];
}

/** Without the characters that XML forbids altogether. */
function xml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return clean(text.toWellFormed()).replaceAll(/[&<>"]/g, (character) => entities[character] as string);
}

/** One line in which nothing is markup or a mention. */
function md(text: string): string {
  return clean(text)
    .replaceAll(/[\\`*_{}[\]<>|#~]/g, '\\$&')
    .replaceAll('@', '@\u200b');
}
