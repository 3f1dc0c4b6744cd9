import type { RunStatus } from './scoreCardData.js';

/** What `assay compare` shows, as the API answers it. */
export interface ComparisonData {
  comparable: boolean;
  differences: Difference[];
  warnings: { code: string; message: string }[];
  sameReplies: boolean;
  sharedConversations: number;
  scoredConversations: number;
  baseline: ComparedRun;
  candidate: ComparedRun;
  overall: OverallDifference | null;
  unavailableReason: string | null;
  themes: TagDifference[];
  axes: TagDifference[];
  verdictChanges: {
    compared: number;
    gained: number;
    lost: number;
    pointsGained: number;
    pointsLost: number;
  };
  gained: { nodes: Flip[] };
  lost: { nodes: Flip[] };
  worsened: ChangedConversation[];
  agreement: Agreement | null;
}

export interface Difference {
  part: string;
  baseline: string | null;
  candidate: string | null;
  severity: 'SUBJECT' | 'CAUTION' | 'SCOPE' | 'BREAKING';
}

export interface ComparedRun {
  id: string;
  name: string;
  status: RunStatus;
  modelUnderTest: { model: string };
  grader: { model: string };
  score: { value: number; interval: { low: number; high: number } | null; n: number; coverage: number } | null;
}

export interface PairedDifference {
  n: number;
  conversations: number;
  baselineScore: number;
  candidateScore: number;
  difference: number;
  interval: { low: number; high: number } | null;
  pValue: number;
  wins: number;
  ties: number;
  losses: number;
}

export interface OverallDifference extends PairedDifference {
  minimalDetectableDifference: number | null;
  conversationsNeeded: number | null;
}

export interface TagDifference extends PairedDifference {
  tag: string;
  label: string;
  adjustedPValue: number;
}

export interface Flip {
  pointsMoved: number;
  repeat: number;
  criterion: { text: string; points: number };
  baseline: { runConversation: { promptId: string } };
  candidate: { explanation: string };
}

export interface ChangedConversation {
  difference: number;
  baselineScore: number;
  candidateScore: number;
  baseline: { promptId: string; theme: string | null };
}

export interface Agreement {
  baselineGrader: string;
  candidateGrader: string;
  n: number;
  rate: number | null;
  kappa: number | null;
  kappaUnavailableReason: string | null;
  tags: { label: string; n: number; rate: number | null; kappa: number | null }[];
}

const RUN_FIELDS = `id name status modelUnderTest { model } grader { model }
  score { value interval { low high } n coverage }`;
const NUMBERS = `n conversations baselineScore candidateScore difference interval { low high } pValue wins ties losses`;
const FLIP_FIELDS = `pointsMoved repeat criterion { text points } baseline { runConversation { promptId } }
  candidate { explanation }`;

/** Everything about two runs in one query. */
export const COMPARISON = `query Compare($a: ID!, $b: ID!, $flips: Int!) {
  compareRuns(baselineId: $a, candidateId: $b) {
    comparable
    differences { part baseline candidate severity }
    warnings { code message }
    sameReplies sharedConversations scoredConversations
    baseline { ${RUN_FIELDS} }
    candidate { ${RUN_FIELDS} }
    overall { ${NUMBERS} minimalDetectableDifference conversationsNeeded }
    unavailableReason
    themes { tag label ${NUMBERS} adjustedPValue }
    axes { tag label ${NUMBERS} adjustedPValue }
    verdictChanges { compared gained lost pointsGained pointsLost }
    lost: flips(first: $flips, direction: LOST) { nodes { ${FLIP_FIELDS} } }
    gained: flips(first: $flips, direction: GAINED) { nodes { ${FLIP_FIELDS} } }
    worsened(first: 5) { difference baselineScore candidateScore baseline { promptId theme } }
    agreement {
      baselineGrader candidateGrader n rate kappa kappaUnavailableReason
      tags(group: AXIS) { label n rate kappa }
    }
  }
}`;
