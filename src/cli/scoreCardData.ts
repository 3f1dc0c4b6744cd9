/** What a score card is made of, as the API answers it. */
export interface ScoreCardData {
  id: string;
  name: string;
  status: RunStatus;
  statusReason: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  repeats: number;
  scoringProfile: string;
  dataset: { id: string; name: string; officialName: string | null; sha256: string };
  sample: { method: string; size: number; seed: number | null };
  modelUnderTest: ModelSettings;
  grader: ModelSettings;
  graderPrompt: { name: string; sha256: string };
  progress: Progress;
  score: RunScore | null;
  scoreUnavailableReason: string | null;
  warnings: { code: string; message: string }[];
  positiveCriteria: HitRate;
  negativeCriteria: HitRate;
  themes: TagScore[];
  axes: TagScore[];
  histogram: { from: number; to: number; count: number }[];
  usage: { model: Usage; grader: Usage };
  worst: { nodes: WorstConversation[] };
  lost: { totalCount: number; nodes: LostConversation[] };
}

export type RunStatus = 'QUEUED' | 'RUNNING' | 'PAUSED' | 'CANCELLED' | 'COMPLETED' | 'FAILED';

export interface ModelSettings {
  endpointName: string;
  baseUrl: string;
  model: string;
  temperature: number | null;
  reasoningEffort: string | null;
  maxTokens: number | null;
  systemMessage: string | null;
  simulated: boolean;
}

export interface Progress {
  conversationsTotal: number;
  conversationsDone: number;
  conversationsScored: number;
  conversationsFailed: number;
  conversationsUngraded: number;
  criteriaTotal: number;
  criteriaDone: number;
  criteriaGraded: number;
  criteriaUngraded: number;
  etaSeconds: number | null;
}

export interface RunScore {
  value: number;
  median: number;
  bootstrapStd: number | null;
  interval: { low: number; high: number; confidence: number } | null;
  n: number;
  coverage: number;
  criteriaCoverage: number;
  perfect: number;
  belowZero: number;
  lowerBound: number;
  upperBound: number;
  headline: string;
  /** Null without constants for the length. */
  lengthAdjustment: { value: number; interval: { low: number; high: number } | null } | null;
  final: boolean;
}

export interface HitRate {
  met: number;
  graded: number;
  rate: number | null;
}

export interface TagScore {
  tag: string;
  label: string;
  /** Null where the tag has no positive points anywhere. */
  value: number | null;
  interval: { low: number; high: number } | null;
  n: number;
}

export interface Usage {
  calls: number;
  promptTokens: number;
  completionTokens: number;
}

export interface WorstConversation {
  promptId: string;
  repeat: number;
  theme: string | null;
  score: number;
  earned: number;
  possible: number;
  results: {
    criterion: { text: string; points: number; axis: string | null };
    verdict: { criteriaMet: boolean; explanation: string } | null;
    pointsLost: number;
  }[];
}

export interface LostConversation {
  promptId: string;
  status: 'FAILED' | 'UNGRADED';
  reason: string | null;
  message: string | null;
  results: { ungraded: { reason: string; message: string | null } | null }[];
}

export const PROGRESS_FIELDS = `
  conversationsTotal conversationsDone conversationsScored conversationsFailed conversationsUngraded
  criteriaTotal criteriaDone criteriaGraded criteriaUngraded etaSeconds`;

const SETTINGS_FIELDS = 'endpointName baseUrl model temperature reasoningEffort maxTokens systemMessage simulated';

/** Everything on the card in one query. */
export const SCORE_CARD = `query ScoreCard($id: ID!) {
  run(id: $id) {
    id name status statusReason createdAt startedAt finishedAt repeats scoringProfile
    dataset { id name officialName sha256 }
    sample { method size seed }
    modelUnderTest { ${SETTINGS_FIELDS} }
    grader { ${SETTINGS_FIELDS} }
    graderPrompt { name sha256 }
    progress { ${PROGRESS_FIELDS} }
    score {
      value median bootstrapStd interval { low high confidence } n coverage criteriaCoverage perfect belowZero
      lowerBound upperBound headline lengthAdjustment { value interval { low high } } final
    }
    scoreUnavailableReason
    warnings { code message }
    positiveCriteria { met graded rate }
    negativeCriteria { met graded rate }
    themes: tagScores(group: THEME) { tag label value interval { low high } n }
    axes: tagScores(group: AXIS) { tag label value interval { low high } n }
    histogram(bins: 10) { from to count }
    usage {
      model { calls promptTokens completionTokens }
      grader { calls promptTokens completionTokens }
    }
    worst: conversations(first: 1, filter: { status: [SCORED] }, orderBy: SCORE_ASC) {
      nodes {
        promptId repeat theme score earned possible
        results { criterion { text points axis } verdict { criteriaMet explanation } pointsLost }
      }
    }
    lost: conversations(first: 50, filter: { status: [FAILED, UNGRADED] }) {
      totalCount
      nodes { promptId status reason message results { ungraded { reason message } } }
    }
  }
}`;
