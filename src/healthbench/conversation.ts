/** One turn of a conversation. */
export interface Message {
  role: string;
  content: string;
}

/** One line of a rubric. */
export interface Criterion {
  text: string;
  /** Signed; negative for undesirable behaviour. */
  points: number;
  /** The number as the file writes it ("5" or "5.0"): the grader prompt repeats it. */
  pointsText: string;
  tags: string[];
}

/** One dataset record in the shape all later steps use, whichever format it came in. */
export interface ConversationRecord {
  promptId: string;
  messages: Message[];
  /** `example_tags`: those of the conversation as a whole. */
  tags: string[];
  criteria: Criterion[];
  canary: string | null;
  /** A physician's own reply, for evaluators only; never sent to a model. */
  physicianResponse: string | null;
  /** The line as it stands. */
  raw: string;
  format: 'HEALTHBENCH' | 'PROFESSIONAL';
  /** What was accepted but deserves a look. */
  warnings: string[];
}
