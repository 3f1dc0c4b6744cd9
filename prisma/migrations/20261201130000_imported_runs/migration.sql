-- Runs that come from another harness' files: no endpoint, perhaps no known prompt, no latencies.
ALTER TABLE "run" ALTER COLUMN "model_endpoint_id" DROP NOT NULL,
ALTER COLUMN "grader_endpoint_id" DROP NOT NULL,
ALTER COLUMN "grader_prompt" DROP NOT NULL,
ALTER COLUMN "grader_prompt_name" DROP NOT NULL,
ALTER COLUMN "grader_prompt_sha256" DROP NOT NULL,
ADD COLUMN     "origin" JSONB,
ADD COLUMN     "import_key" TEXT;
ALTER TABLE "reply" ALTER COLUMN "latency_ms" DROP NOT NULL;
ALTER TABLE "criterion_verdict" ALTER COLUMN "latency_ms" DROP NOT NULL;

CREATE UNIQUE INDEX "run_team_id_import_key_key" ON "run"("team_id", "import_key");

-- What was made here is as complete as before; a regrade of an imported run calls no model under test.
ALTER TABLE "run" ADD CONSTRAINT "run_made_here" CHECK ("origin" IS NOT NULL OR (
  "grader_endpoint_id" IS NOT NULL AND ("model_endpoint_id" IS NOT NULL OR "regrade_of_id" IS NOT NULL)
  AND "grader_prompt" IS NOT NULL AND "grader_prompt_name" IS NOT NULL AND "grader_prompt_sha256" IS NOT NULL));
-- An imported run is known by its file, and nothing can ever be called for it.
ALTER TABLE "run" ADD CONSTRAINT "run_imported" CHECK (("origin" IS NULL) = ("import_key" IS NULL));
ALTER TABLE "run" ADD CONSTRAINT "run_imported_calls_nothing" CHECK ("origin" IS NULL OR (
  "model_endpoint_id" IS NULL AND "grader_endpoint_id" IS NULL AND NOT "budgeted" AND "status" IN ('QUEUED', 'COMPLETED', 'FAILED')));
