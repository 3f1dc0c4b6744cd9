-- What makes two runs comparable, and runs that grade the replies of another.
ALTER TABLE "run" ADD COLUMN "fingerprint" JSONB NOT NULL DEFAULT '[]', ADD COLUMN "regrade_of_id" UUID;

-- The parts of the runs that are there, as fingerprint.ts makes them. Their rules were those of version 0.1.0.
UPDATE "run" SET "fingerprint" = jsonb_build_array(
  jsonb_build_object('part', 'dataset', 'value', dataset_sha256),
  jsonb_build_object('part', 'sampleMethod', 'value', sample->>'method'),
  jsonb_build_object('part', 'sampleSize', 'value', sample->>'size'),
  jsonb_build_object('part', 'sampleSeed', 'value', sample->>'seed'),
  jsonb_build_object('part', 'conversations', 'value', encode(sha256(convert_to((
    SELECT string_agg(conversation_no::text, ',' ORDER BY ordinal) FROM run_conversation
    WHERE run_id = run.id AND repeat = 1), 'UTF8')), 'hex')),
  jsonb_build_object('part', 'repeats', 'value', repeats::text),
  jsonb_build_object('part', 'modelUnderTest.baseUrl', 'value', model_under_test->>'baseUrl'),
  jsonb_build_object('part', 'modelUnderTest.model', 'value', model_under_test->>'model'),
  jsonb_build_object('part', 'modelUnderTest.temperature', 'value', model_under_test->>'temperature'),
  jsonb_build_object('part', 'modelUnderTest.reasoningEffort', 'value', model_under_test->>'reasoningEffort'),
  jsonb_build_object('part', 'modelUnderTest.maxTokens', 'value', model_under_test->>'maxTokens'),
  jsonb_build_object('part', 'modelUnderTest.systemMessage', 'value', model_under_test->>'systemMessage'),
  jsonb_build_object('part', 'modelUnderTest.simulated', 'value', model_under_test->>'simulated'),
  jsonb_build_object('part', 'grader.baseUrl', 'value', grader->>'baseUrl'),
  jsonb_build_object('part', 'grader.model', 'value', grader->>'model'),
  jsonb_build_object('part', 'grader.temperature', 'value', grader->>'temperature'),
  jsonb_build_object('part', 'grader.reasoningEffort', 'value', grader->>'reasoningEffort'),
  jsonb_build_object('part', 'grader.maxTokens', 'value', grader->>'maxTokens'),
  jsonb_build_object('part', 'grader.systemMessage', 'value', grader->>'systemMessage'),
  jsonb_build_object('part', 'grader.simulated', 'value', grader->>'simulated'),
  jsonb_build_object('part', 'graderPrompt', 'value', grader_prompt_sha256),
  jsonb_build_object('part', 'scoringProfile', 'value', scoring_profile || ' 1'),
  jsonb_build_object('part', 'lengthRule', 'value', NULL),
  jsonb_build_object('part', 'graderRendering', 'value', 'simple-evals'),
  jsonb_build_object('part', 'verdictRules', 'value', 'boolean-or-ungraded'),
  jsonb_build_object('part', 'aggregation', 'value', 'clip-last'),
  jsonb_build_object('part', 'version', 'value', version)
);

ALTER TABLE "run" ALTER COLUMN "fingerprint" DROP DEFAULT;

CREATE INDEX "run_regrade_of_id_idx" ON "run"("regrade_of_id");

ALTER TABLE "run" ADD CONSTRAINT "run_team_id_regrade_of_id_fkey" FOREIGN KEY ("team_id", "regrade_of_id") REFERENCES "run"("team_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
