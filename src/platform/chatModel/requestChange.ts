import type { ErrorFacts } from './errorFacts.js';
import type { RequestChange, SentFields } from './types.js';

const capNames = ['max_tokens', 'max_completion_tokens'] as const;
const capText =
  /max_(?:new_|output_|completion_)?tokens|max(?:imum)? (?:completion|output|new) tokens|in the completion/;

/** Fields that are dropped when the provider refuses them, with the words under which it may name them. */
const droppable: { field: keyof SentFields; change: RequestChange; words: RegExp }[] = [
  { field: 'temperature', change: 'drop_temperature', words: /\btemperature\b/ },
  { field: 'seed', change: 'drop_seed', words: /\bseed\b/ },
  {
    field: 'store',
    change: 'drop_store',
    words: /(['"`]store['"`]|\b(argument|parameter|field|property|input)s?:? store\b)/,
  },
  {
    field: 'reasoning_effort',
    change: 'drop_reasoning_effort',
    words: /\breasoning[_ .]?effort\b|\breasoning (is|was|parameter)|\bthinking\b|\beffort\b/,
  },
];

const formatWords = /response[_ ]?format|json[_ ](schema|object|mode)|structured[_ ]outputs?|guided[_ ]|\bgrammar\b/;

/**
 * How a refused request (400, 422 and their like) can be changed to be accepted; null when nothing that was
 * sent is named as the cause. What the provider names in a field of its own goes before what its text mentions.
 */
export function findRequestChange(facts: ErrorFacts, sent: SentFields): RequestChange | null {
  const text = facts.message.toLowerCase();
  for (const name of facts.params) {
    const change = changeOf(name, text, facts, sent);
    if (change !== null) return change;
  }
  const cap = capNames.find((name) => sent[name] !== undefined);
  if (cap !== undefined && capText.test(text)) return capChange(cap, text, facts);
  for (const { field, change, words } of droppable) {
    if (sent[field] !== undefined && words.test(text)) return change;
  }
  if (sent.response_format !== undefined && formatWords.test(text)) return 'response_format';
  const aboutRoles = facts.params.includes('role') || complainsAboutRoles(text);
  return canMergeRoles(sent.roles) && aboutRoles ? 'merge_system' : null;
}

function changeOf(name: string, text: string, facts: ErrorFacts, sent: SentFields): RequestChange | null {
  const cap = capNames.find((field) => field === name);
  if (cap !== undefined && sent[cap] !== undefined) return capChange(cap, text, facts);
  const dropped = droppable.find(
    ({ field }) => field === name || (field === 'reasoning_effort' && name === 'reasoning'),
  );
  if (dropped !== undefined && sent[dropped.field] !== undefined) return dropped.change;
  const isFormat = name === 'response_format' || name === 'json_schema';
  return isFormat && sent.response_format !== undefined ? 'response_format' : null;
}

/** The cap on the reply is unknown by this name, or too small, or too large. */
function capChange(cap: 'max_tokens' | 'max_completion_tokens', text: string, facts: ErrorFacts): RequestChange {
  const other = cap === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  const otherNamed = new RegExp(`(?<![a-z_])${other}(?![a-z_])`).test(text);
  const unknown = facts.codes.has('unsupported_parameter') || facts.unknownFields.includes(cap);
  const refused =
    /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|cannot be used|forbidden|extra /;
  if (unknown || otherNamed) return other;
  if (/higher max|limit was reached|at least|below|too (small|low|few)|minimum/.test(text)) return 'raise_max_tokens';
  if (/too (large|big|high|long)|at most|exceed|less than|greater|larger|maximum|range|<=|≤|limit/.test(text)) {
    return 'reduce_max_tokens';
  }
  return refused.test(text) ? other : 'reduce_max_tokens';
}

/** True when a context error is about the room left for the reply, and a smaller cap may fit. */
export function capMayFit(facts: ErrorFacts, sent: SentFields): boolean {
  const text = facts.message.toLowerCase();
  if (sent.max_tokens === undefined && sent.max_completion_tokens === undefined) return false;
  if (!capText.test(text)) return false;
  const limit = /(?:context (?:length|window|size)|limit|<=)[^\d]{0,40}?(\d{2,})/.exec(text)?.[1];
  const prompt = /(\d+) ['"`]?(?:of )?(?:text |tokens? )?(?:in the messages|input|prompt|in your prompt)/.exec(
    text,
  )?.[1];
  return limit === undefined || prompt === undefined || Number(prompt) < Number(limit);
}

/** “Roles must alternate”, “no system role”, “developer instruction is not enabled”. */
export function complainsAboutRoles(text: string): boolean {
  if (/alternat/.test(text) && /role|user|assistant|message/.test(text)) return true;
  const about =
    /\b(system|developer)['"`]?\s*(role|message|prompt|instruction)s?|role\w*:?\s*['"`]?(system|developer)\b/.test(
      text,
    );
  return (
    about &&
    /\b(no|not|n't|only|must|cannot|unsupported|invalid|unexpected|unknown|refused|first|beginning)\b|n't/.test(text)
  );
}

/** True when merging would change anything: a system message, or two of one role in a row. */
export function canMergeRoles(roles: string[] | undefined): boolean {
  if (roles === undefined) return false;
  return roles.some((role, at) => role === 'system' || role === 'developer' || role === roles[at - 1]);
}
