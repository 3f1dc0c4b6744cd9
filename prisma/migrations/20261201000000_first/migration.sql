-- CreateEnum
CREATE TYPE "role" AS ENUM ('VIEWER', 'RUNNER', 'ADMIN');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('QUEUED', 'RUNNING', 'PAUSED', 'CANCELLED', 'COMPLETED', 'FAILED');

-- CreateEnum
CREATE TYPE "run_conversation_status" AS ENUM ('PENDING', 'REPLIED', 'SCORED', 'UNGRADED', 'FAILED');

-- CreateTable
CREATE TABLE "team" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotent_request" (
    "team_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "input_sha256" BYTEA NOT NULL,
    "result_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotent_request_pkey" PRIMARY KEY ("team_id","operation","key")
);

-- CreateTable
CREATE TABLE "model_endpoint" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "api_key_ciphertext" BYTEA,
    "secret_key_id" TEXT,
    "max_concurrency" INTEGER NOT NULL DEFAULT 16,
    "default_model" TEXT,
    "default_grader" TEXT,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "model_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "grader_template" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "grader_template_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dataset" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "official_name" TEXT,
    "format" TEXT NOT NULL,
    "byte_size" BIGINT NOT NULL,
    "conversation_count" INTEGER NOT NULL,
    "criterion_count" INTEGER NOT NULL,
    "warnings" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dataset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation" (
    "dataset_id" UUID NOT NULL,
    "no" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "prompt_id" TEXT NOT NULL,
    "messages" JSONB NOT NULL,
    "tags" TEXT[],
    "theme" TEXT,
    "canary" TEXT,
    "raw" TEXT NOT NULL,

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("dataset_id","no")
);

-- CreateTable
CREATE TABLE "rubric_criterion" (
    "dataset_id" UUID NOT NULL,
    "conversation_no" INTEGER NOT NULL,
    "no" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "points" DOUBLE PRECISION NOT NULL,
    "points_text" TEXT NOT NULL,
    "tags" TEXT[],
    "axis" TEXT,

    CONSTRAINT "rubric_criterion_pkey" PRIMARY KEY ("dataset_id","conversation_no","no")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "dataset_id" UUID NOT NULL,
    "dataset_sha256" TEXT NOT NULL,
    "sample" JSONB NOT NULL,
    "repeats" INTEGER NOT NULL,
    "model_endpoint_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "model_under_test" JSONB NOT NULL,
    "grader_endpoint_id" UUID NOT NULL,
    "grader_model" TEXT NOT NULL,
    "grader" JSONB NOT NULL,
    "grader_prompt" TEXT NOT NULL,
    "grader_prompt_name" TEXT NOT NULL,
    "grader_prompt_sha256" TEXT NOT NULL,
    "scoring_profile" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "conversation_count" INTEGER NOT NULL,
    "criterion_count" INTEGER NOT NULL,
    "status" "run_status" NOT NULL DEFAULT 'QUEUED',
    "status_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_conversation" (
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "conversation_no" INTEGER NOT NULL,
    "repeat" INTEGER NOT NULL,
    "criterion_count" INTEGER NOT NULL,
    "theme" TEXT,
    "status" "run_conversation_status" NOT NULL DEFAULT 'PENDING',
    "reason" TEXT,
    "message" TEXT,
    "score" DOUBLE PRECISION,
    "earned" DOUBLE PRECISION,
    "possible" DOUBLE PRECISION,
    "tags" TEXT[],
    "tag_earned" DOUBLE PRECISION[],
    "tag_possible" DOUBLE PRECISION[],
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_conversation_pkey" PRIMARY KEY ("run_id","ordinal")
);

-- CreateTable
CREATE TABLE "run_progress" (
    "run_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "scored" INTEGER NOT NULL DEFAULT 0,
    "ungraded" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "replies" INTEGER NOT NULL DEFAULT 0,
    "model_calls" INTEGER NOT NULL DEFAULT 0,
    "model_prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "model_completion_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "run_progress_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "reply" (
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "finish_reason" TEXT,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "latency_ms" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "generated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reply_pkey" PRIMARY KEY ("run_id","ordinal")
);

-- CreateTable
CREATE TABLE "failed_call" (
    "id" BIGSERIAL NOT NULL,
    "team_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "criterion_no" INTEGER,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "status" INTEGER,
    "message" TEXT NOT NULL,
    "raw" TEXT NOT NULL,

    CONSTRAINT "failed_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verdict_log" (
    "run_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "last_sequence" INTEGER NOT NULL DEFAULT 0,
    "positive_graded" INTEGER NOT NULL DEFAULT 0,
    "positive_met" INTEGER NOT NULL DEFAULT 0,
    "negative_graded" INTEGER NOT NULL DEFAULT 0,
    "negative_met" INTEGER NOT NULL DEFAULT 0,
    "ungraded" INTEGER NOT NULL DEFAULT 0,
    "grader_calls" INTEGER NOT NULL DEFAULT 0,
    "grader_prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "grader_completion_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "verdict_log_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "criterion_verdict" (
    "run_id" UUID NOT NULL,
    "sequence" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "criterion_no" INTEGER NOT NULL,
    "criteria_met" BOOLEAN NOT NULL,
    "explanation" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "graded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "criterion_verdict_pkey" PRIMARY KEY ("run_id","sequence")
);

-- CreateTable
CREATE TABLE "ungraded_criterion" (
    "run_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "criterion_no" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ungraded_criterion_pkey" PRIMARY KEY ("run_id","ordinal","criterion_no")
);

-- CreateTable
CREATE TABLE "run_score" (
    "run_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "unclipped_mean" DOUBLE PRECISION NOT NULL,
    "median" DOUBLE PRECISION NOT NULL,
    "bootstrap_std" DOUBLE PRECISION NOT NULL,
    "interval_low" DOUBLE PRECISION NOT NULL,
    "interval_high" DOUBLE PRECISION NOT NULL,
    "n" INTEGER NOT NULL,
    "perfect" INTEGER NOT NULL,
    "below_zero" INTEGER NOT NULL,
    "scored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_score_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "run_tag_score" (
    "run_id" UUID NOT NULL,
    "tag" TEXT NOT NULL,
    "team_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "unclipped_mean" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "run_tag_score_pkey" PRIMARY KEY ("run_id","tag")
);

-- CreateIndex
CREATE UNIQUE INDEX "team_name_key" ON "team"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_team_id_idx" ON "api_key"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "model_endpoint_team_id_id_key" ON "model_endpoint"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "grader_template_team_id_sha256_key" ON "grader_template"("team_id", "sha256");

-- CreateIndex
CREATE INDEX "dataset_team_id_created_at_id_idx" ON "dataset"("team_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "dataset_team_id_id_key" ON "dataset"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "dataset_team_id_sha256_key" ON "dataset"("team_id", "sha256");

-- CreateIndex
CREATE UNIQUE INDEX "conversation_dataset_id_prompt_id_key" ON "conversation"("dataset_id", "prompt_id");

-- CreateIndex
CREATE INDEX "run_team_id_created_at_id_idx" ON "run"("team_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "run_dataset_id_idx" ON "run"("dataset_id");

-- CreateIndex
CREATE INDEX "run_status_idx" ON "run"("status");

-- CreateIndex
CREATE UNIQUE INDEX "run_team_id_id_key" ON "run"("team_id", "id");

-- CreateIndex
CREATE INDEX "run_conversation_run_id_status_ordinal_idx" ON "run_conversation"("run_id", "status", "ordinal");

-- CreateIndex
CREATE INDEX "run_conversation_run_id_score_ordinal_idx" ON "run_conversation"("run_id", "score", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "run_conversation_run_id_conversation_no_repeat_key" ON "run_conversation"("run_id", "conversation_no", "repeat");

-- CreateIndex
CREATE UNIQUE INDEX "run_progress_team_id_run_id_key" ON "run_progress"("team_id", "run_id");

-- CreateIndex
CREATE INDEX "failed_call_run_id_ordinal_idx" ON "failed_call"("run_id", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "verdict_log_team_id_run_id_key" ON "verdict_log"("team_id", "run_id");

-- CreateIndex
CREATE UNIQUE INDEX "criterion_verdict_run_id_ordinal_criterion_no_key" ON "criterion_verdict"("run_id", "ordinal", "criterion_no");

-- CreateIndex
CREATE UNIQUE INDEX "run_score_team_id_run_id_key" ON "run_score"("team_id", "run_id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotent_request" ADD CONSTRAINT "idempotent_request_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_endpoint" ADD CONSTRAINT "model_endpoint_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grader_template" ADD CONSTRAINT "grader_template_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset" ADD CONSTRAINT "dataset_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_team_id_dataset_id_fkey" FOREIGN KEY ("team_id", "dataset_id") REFERENCES "dataset"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rubric_criterion" ADD CONSTRAINT "rubric_criterion_dataset_id_conversation_no_fkey" FOREIGN KEY ("dataset_id", "conversation_no") REFERENCES "conversation"("dataset_id", "no") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_team_id_dataset_id_fkey" FOREIGN KEY ("team_id", "dataset_id") REFERENCES "dataset"("team_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_conversation" ADD CONSTRAINT "run_conversation_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_progress" ADD CONSTRAINT "run_progress_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reply" ADD CONSTRAINT "reply_run_id_ordinal_fkey" FOREIGN KEY ("run_id", "ordinal") REFERENCES "run_conversation"("run_id", "ordinal") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "verdict_log" ADD CONSTRAINT "verdict_log_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "criterion_verdict" ADD CONSTRAINT "criterion_verdict_run_id_ordinal_fkey" FOREIGN KEY ("run_id", "ordinal") REFERENCES "run_conversation"("run_id", "ordinal") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ungraded_criterion" ADD CONSTRAINT "ungraded_criterion_run_id_ordinal_fkey" FOREIGN KEY ("run_id", "ordinal") REFERENCES "run_conversation"("run_id", "ordinal") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_score" ADD CONSTRAINT "run_score_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_tag_score" ADD CONSTRAINT "run_tag_score_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run_score"("run_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say. A row that breaks one of these is a bug above; it does not get in.
ALTER TABLE "model_endpoint" ADD CONSTRAINT "model_endpoint_concurrency" CHECK ("max_concurrency" BETWEEN 1 AND 1000);
ALTER TABLE "dataset" ADD CONSTRAINT "dataset_not_empty" CHECK ("conversation_count" > 0 AND "criterion_count" > 0);
ALTER TABLE "rubric_criterion" ADD CONSTRAINT "rubric_criterion_points" CHECK ("points" BETWEEN -1e9 AND 1e9);
ALTER TABLE "run" ADD CONSTRAINT "run_not_empty" CHECK ("conversation_count" > 0 AND "criterion_count" > 0 AND "repeats" > 0);
ALTER TABLE "run" ADD CONSTRAINT "run_finished" CHECK (("finished_at" IS NOT NULL) = ("status" IN ('CANCELLED', 'COMPLETED', 'FAILED')));
-- A score stands only where every criterion has a verdict; a failure never carries one.
ALTER TABLE "run_conversation" ADD CONSTRAINT "run_conversation_score" CHECK (("score" IS NOT NULL) = ("status" = 'SCORED'));
ALTER TABLE "run_conversation" ADD CONSTRAINT "run_conversation_reason" CHECK (("reason" IS NOT NULL) = ("status" IN ('UNGRADED', 'FAILED')));
ALTER TABLE "run_conversation" ADD CONSTRAINT "run_conversation_score_finite" CHECK ("score" <= 1.000001 AND "score" > '-Infinity');
ALTER TABLE "run_progress" ADD CONSTRAINT "run_progress_counts" CHECK ("scored" >= 0 AND "ungraded" >= 0 AND "failed" >= 0);
ALTER TABLE "verdict_log" ADD CONSTRAINT "verdict_log_counts" CHECK (
  "positive_met" <= "positive_graded" AND "negative_met" <= "negative_graded"
  AND "positive_graded" + "negative_graded" <= "last_sequence" AND "ungraded" >= 0
);
ALTER TABLE "criterion_verdict" ADD CONSTRAINT "criterion_verdict_sequence" CHECK ("sequence" > 0);
ALTER TABLE "run_score" ADD CONSTRAINT "run_score_range" CHECK ("value" BETWEEN 0 AND 1 AND "n" > 0);

-- The log is append-only: a verdict is never changed (deleting a run deletes its verdicts).
CREATE FUNCTION "refuse_update"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a verdict is never changed';
END $$;
CREATE TRIGGER "criterion_verdict_append_only" BEFORE UPDATE ON "criterion_verdict"
  FOR EACH ROW EXECUTE FUNCTION "refuse_update"();
