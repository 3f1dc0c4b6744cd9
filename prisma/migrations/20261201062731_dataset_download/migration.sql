-- CreateEnum
CREATE TYPE "dataset_source" AS ENUM ('HEALTHBENCH_MAIN', 'HEALTHBENCH_HARD', 'HEALTHBENCH_CONSENSUS');

-- CreateEnum
CREATE TYPE "dataset_download_status" AS ENUM ('QUEUED', 'DOWNLOADING', 'IMPORTING', 'COMPLETED', 'FAILED');

-- CreateTable
CREATE TABLE "dataset_download" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "source" "dataset_source" NOT NULL,
    "name" TEXT NOT NULL,
    "status" "dataset_download_status" NOT NULL DEFAULT 'QUEUED',
    "bytes_total" INTEGER NOT NULL,
    "bytes_done" INTEGER NOT NULL DEFAULT 0,
    "etag" TEXT,
    "reason" TEXT,
    "message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "dataset_download_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dataset_download_part" (
    "download_id" UUID NOT NULL,
    "start" INTEGER NOT NULL,
    "team_id" UUID NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "dataset_download_part_pkey" PRIMARY KEY ("download_id","start")
);

-- CreateIndex
CREATE UNIQUE INDEX "dataset_download_team_id_id_key" ON "dataset_download"("team_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "dataset_download_team_id_source_key" ON "dataset_download"("team_id", "source");

-- AddForeignKey
ALTER TABLE "dataset_download" ADD CONSTRAINT "dataset_download_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset_download_part" ADD CONSTRAINT "dataset_download_part_team_id_download_id_fkey" FOREIGN KEY ("team_id", "download_id") REFERENCES "dataset_download"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dataset_download" ADD CONSTRAINT "dataset_download_bytes_check" CHECK (bytes_done BETWEEN 0 AND bytes_total);
-- A failure says why; what is over says since when.
ALTER TABLE "dataset_download" ADD CONSTRAINT "dataset_download_end_check"
  CHECK ((status <> 'FAILED' OR (reason IS NOT NULL AND message IS NOT NULL)) AND (status IN ('COMPLETED', 'FAILED')) = (finished_at IS NOT NULL));
ALTER TABLE "dataset_download_part" ADD CONSTRAINT "dataset_download_part_content_check" CHECK (start >= 0 AND octet_length(content) > 0);

SELECT assay_protect('dataset_download'), assay_protect('dataset_download_part');
