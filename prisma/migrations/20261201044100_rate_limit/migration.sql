-- What a key has left of its rate limits: one row per key and kind. Unlogged: nothing of it must survive a crash, and
-- taking from it costs no write to the log on disk.
CREATE UNLOGGED TABLE "rate_bucket" (
  "team_id" UUID NOT NULL,
  "holder" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "tokens" DOUBLE PRECISION NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,

  CONSTRAINT "rate_bucket_pkey" PRIMARY KEY ("team_id", "holder", "kind")
);

ALTER TABLE "rate_bucket" ADD CONSTRAINT "rate_bucket_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT assay_protect('rate_bucket');

-- Takes between `least` and `most` tokens of a bucket of the transaction's team, that fills up at `per_second` to
-- `capacity`. Granted 0: too few, and how long until there are enough. Runs with the caller's rights, so under the
-- policy of the table. Whoever waits for the row waits for others of the same key; not for long.
CREATE FUNCTION "assay_take_tokens"(
  "whose" text, "what" text, "least" float8, "most" float8, "capacity" float8, "per_second" float8
) RETURNS TABLE ("granted" float8, "wait_seconds" float8)
LANGUAGE plpgsql VOLATILE SET lock_timeout = '1s' AS $$
DECLARE
  "available" float8;
BEGIN
  UPDATE rate_bucket b SET
    tokens = LEAST(capacity, b.tokens
      + per_second * GREATEST(0, extract(epoch FROM clock_timestamp() - b.updated_at)::float8)),
    updated_at = clock_timestamp()
  WHERE b.team_id = assay_team() AND b.holder = whose AND b.kind = what
  RETURNING b.tokens INTO available;
  IF NOT FOUND THEN
    INSERT INTO rate_bucket (team_id, holder, kind, tokens, updated_at)
    VALUES (assay_team(), whose, what, capacity, clock_timestamp())
    ON CONFLICT DO NOTHING;
    SELECT b.tokens INTO available FROM rate_bucket b
    WHERE b.team_id = assay_team() AND b.holder = whose AND b.kind = what FOR UPDATE;
  END IF;
  granted := CASE WHEN available >= least THEN LEAST(available, most) ELSE 0 END;
  wait_seconds := CASE WHEN granted > 0 THEN 0 ELSE (least - available) / per_second END;
  UPDATE rate_bucket b SET tokens = b.tokens - granted
  WHERE b.team_id = assay_team() AND b.holder = whose AND b.kind = what;
  RETURN NEXT;
END $$;

-- Beyond a team: which stored provider keys were not sealed with the present secret key. prisma/roles.sql gives it its
-- owner, who sees no more of an endpoint than this.
CREATE FUNCTION "assay_stale_secrets"("present_key_id" text, "after" uuid, "most" int)
RETURNS TABLE ("id" uuid, "team_id" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.id, e.team_id FROM model_endpoint e
  WHERE e.secret_key_id <> present_key_id AND e.id > after ORDER BY e.id LIMIT most
$$;
