-- AlterTable
ALTER TABLE "criterion_verdict" ADD COLUMN     "cached_tokens" INTEGER,
ADD COLUMN     "completion_tokens" INTEGER,
ADD COLUMN     "prompt_tokens" INTEGER,
ADD COLUMN     "reasoning_tokens" INTEGER;

-- AlterTable
ALTER TABLE "failed_call" ADD COLUMN     "cached_tokens" INTEGER,
ADD COLUMN     "completion_tokens" INTEGER,
ADD COLUMN     "error_class" TEXT,
ADD COLUMN     "prompt_tokens" INTEGER,
ADD COLUMN     "reasoning_tokens" INTEGER;

-- AlterTable
ALTER TABLE "model_endpoint" ADD COLUMN     "prices" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "reply" ADD COLUMN     "cached_tokens" INTEGER,
ADD COLUMN     "reasoning_tokens" INTEGER;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "budgeted" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "run_progress" ADD COLUMN     "model_cached_tokens" BIGINT,
ADD COLUMN     "model_reasoning_tokens" BIGINT,
ADD COLUMN     "model_unmeasured_calls" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "verdict_log" ADD COLUMN     "grader_cached_tokens" BIGINT,
ADD COLUMN     "grader_reasoning_tokens" BIGINT,
ADD COLUMN     "grader_unmeasured_calls" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "run_budget" (
    "run_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "max_cost" BIGINT,
    "max_calls" INTEGER,
    "max_tokens" BIGINT,
    "spent_cost" BIGINT NOT NULL DEFAULT 0,
    "spent_calls" INTEGER NOT NULL DEFAULT 0,
    "spent_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "run_budget_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "budget_hold" (
    "run_id" UUID NOT NULL,
    "holder" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "calls" INTEGER NOT NULL,
    "tokens" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_hold_pkey" PRIMARY KEY ("run_id","holder")
);

-- CreateIndex
CREATE UNIQUE INDEX "run_budget_team_id_run_id_key" ON "run_budget"("team_id", "run_id");

-- CreateIndex
CREATE INDEX "failed_call_run_id_id_idx" ON "failed_call"("run_id", "id");

-- AddForeignKey
ALTER TABLE "run_budget" ADD CONSTRAINT "run_budget_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget_hold" ADD CONSTRAINT "budget_hold_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run_budget"("team_id", "run_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say.
ALTER TABLE "model_endpoint" ADD CONSTRAINT "model_endpoint_prices" CHECK (
  jsonb_typeof("prices") = 'array' AND NOT jsonb_path_exists("prices", '$[*] ? (
    !(@.model.type() == "string" && @.model != ""
      && @.promptUsdPerMillion.type() == "number" && @.promptUsdPerMillion >= 0
      && @.completionUsdPerMillion.type() == "number" && @.completionUsdPerMillion >= 0))')
);
ALTER TABLE "run_budget" ADD CONSTRAINT "run_budget_limits" CHECK ("max_cost" >= 0 AND "max_calls" >= 0 AND "max_tokens" >= 0);
ALTER TABLE "run_budget" ADD CONSTRAINT "run_budget_spent" CHECK ("spent_cost" >= 0 AND "spent_calls" >= 0 AND "spent_tokens" >= 0);
ALTER TABLE "budget_hold" ADD CONSTRAINT "budget_hold_amounts" CHECK ("calls" >= 0 AND "tokens" >= 0 AND "cost" >= 0);
ALTER TABLE "failed_call" ADD CONSTRAINT "failed_call_class" CHECK (
  "error_class" IN ('RETRY_LATER', 'CHANGE_REQUEST', 'FAIL_UNIT', 'STOP_RUN')
);
ALTER TABLE "run_progress" ADD CONSTRAINT "run_progress_usage" CHECK (
  "model_calls" >= 0 AND "model_prompt_tokens" >= 0 AND "model_completion_tokens" >= 0 AND "model_unmeasured_calls" >= 0
);
ALTER TABLE "verdict_log" ADD CONSTRAINT "verdict_log_usage" CHECK (
  "grader_calls" >= 0 AND "grader_prompt_tokens" >= 0 AND "grader_completion_tokens" >= 0 AND "grader_unmeasured_calls" >= 0
);
