import type { GateComparisonFragment } from '../client/generated/operations.js';
import { differenceText, type GateResult, type GateRules, signed } from './gateChecks.js';
import { clean } from './text.js';

/** A gate with all that a report says of it. */
export interface Gate {
  readonly comparison: GateComparisonFragment;
  readonly rules: GateRules;
  readonly result: GateResult;
}

export type ReportFormat = 'junit' | 'markdown';

/** The report of a gate as a file. */
export function renderReport(gate: Gate, format: ReportFormat): string {
  return format === 'junit' ? renderJunit(gate) : renderMarkdown(gate);
}

const marks = { passed: '✓', failed: '✗', skipped: '–' } as const;

/** A gate for a person at a terminal. */
export function renderGate({ comparison, result }: Gate): string {
  const { baseline, candidate, warnings } = comparison;
  return [
    `${clean(candidate.name)} (${clean(candidate.modelUnderTest.model)}) against ${clean(baseline.name)} (${clean(baseline.modelUnderTest.model)})`,
    ...result.checks.map(({ name, status, message }) => `${marks[status]} ${name.padEnd(10)} ${clean(message)}`),
    ...warnings.map(({ message }) => `! ${clean(message)}`),
    result.passed ? 'PASSED' : 'FAILED',
  ].join('\n');
}

/** A test suite with one case a check, as CI systems read it (the dialect of Jenkins and GitLab). */
export function renderJunit({ comparison, rules, result }: Gate): string {
  const { baseline, candidate, overall } = comparison;
  const count = (status: string) => result.checks.filter((check) => check.status === status).length;
  const counts = `tests="${result.checks.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}"`;
  const properties: [string, unknown][] = [
    ['candidate', candidate.id],
    ['baseline', baseline.id],
    ['difference', overall?.difference],
    ['low', overall?.interval?.low],
    ['high', overall?.interval?.high],
    ['conversations', overall?.conversations],
    ...Object.entries(rules),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="assay gate" ${counts}>`,
    `  <testsuite name="${xml(`${candidate.name} against ${baseline.name}`)}" ${counts}>`,
    '    <properties>',
    ...properties.map(([name, value]) => `      <property name="${name}" value="${xml(String(value ?? ''))}"/>`),
    '    </properties>',
    ...result.checks.flatMap(({ name, status, message }) => [
      `    <testcase classname="assay.gate" name="${name}">`,
      status === 'passed'
        ? `      <system-out>${xml(message)}</system-out>`
        : `      <${status === 'failed' ? 'failure' : 'skipped'} message="${xml(message)}"/>`,
      '    </testcase>',
    ]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** For a pull request or the summary of a CI job. Names conversations by their ids and never shows their texts. */
export function renderMarkdown({ comparison, rules, result }: Gate): string {
  const { baseline, candidate, overall, warnings, worsened } = comparison;
  const icons = { passed: '✅', failed: '❌', skipped: '➖' } as const;
  const lines = [
    `### ${result.passed ? '✅ Gate passed' : '❌ Gate failed'}: ${md(candidate.name)} against ${md(baseline.name)}`,
    '',
    '| | check | |',
    '| --- | --- | --- |',
    ...result.checks.map(({ name, status, message }) => `| ${icons[status]} | ${name} | ${md(message)} |`),
    '',
    ...(overall === null ? [] : numbers(comparison, overall)),
    ...warnings.map(({ message }) => `> ⚠️ ${md(message)}\n`),
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
  lines.push(
    `Allowed drop ${rules.maxDrop}, ${rules.mode}, least coverage ${rules.minCoverage}. Runs \`${candidate.id}\` and \`${baseline.id}\`.`,
    '',
  );
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
