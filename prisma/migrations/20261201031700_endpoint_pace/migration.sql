-- Limits of an endpoint, which hold over all processes together.

ALTER TABLE "model_endpoint" ADD COLUMN "requests_per_minute" INTEGER, ADD COLUMN "tokens_per_minute" INTEGER;
ALTER TABLE "model_endpoint" ADD CONSTRAINT "model_endpoint_limits_check" CHECK (
    "requests_per_minute" > 0 AND "tokens_per_minute" > 0);

-- CreateTable
CREATE TABLE "endpoint_pace" (
    "endpoint_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "requests" DOUBLE PRECISION,
    "tokens" DOUBLE PRECISION,
    "refilled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "endpoint_pace_pkey" PRIMARY KEY ("endpoint_id")
);

-- CreateTable
CREATE TABLE "endpoint_share" (
    "endpoint_id" UUID NOT NULL,
    "process_id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "wanted" INTEGER NOT NULL,
    "slots" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "endpoint_share_pkey" PRIMARY KEY ("endpoint_id","process_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_pace_team_id_endpoint_id_key" ON "endpoint_pace"("team_id", "endpoint_id");

-- AddForeignKey
ALTER TABLE "endpoint_pace" ADD CONSTRAINT "endpoint_pace_team_id_endpoint_id_fkey" FOREIGN KEY ("team_id", "endpoint_id") REFERENCES "model_endpoint"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_share" ADD CONSTRAINT "endpoint_share_team_id_endpoint_id_fkey" FOREIGN KEY ("team_id", "endpoint_id") REFERENCES "model_endpoint"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A bucket that fills up in the course of a minute. Its size and its flow together are less than the limit, so
-- that no window of 60 s holds more; a share may be used up to two seconds after it was taken.
CREATE FUNCTION pace_bucket(per_minute integer, filled double precision, seconds double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT least(size, coalesce(filled, size) + greatest(seconds, 0) * CASE WHEN per_minute > 1 THEN (per_minute - size) / 62.0 ELSE 1 / 60.0 END)
    FROM (SELECT greatest(1, per_minute * 0.05)::double precision AS size) AS bucket
$$;

-- The slots of an endpoint that a process may have in flight, when all live processes share by demand: each gets
-- what it wants up to an equal part, what others do not want is shared again, and so is what nobody wants, as a
-- reserve. Where there are more processes than slots, they take turns.
CREATE FUNCTION fair_slots(endpoint uuid, process uuid, max_calls integer)
RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    share record;
    processes integer;
    remaining integer := max_calls;
    part integer;
    mine integer := 0;
BEGIN
    SELECT count(*) INTO processes FROM endpoint_share WHERE endpoint_id = endpoint;
    FOR share IN
        SELECT process_id, least(wanted, max_calls) AS wanted, count(*) OVER () AS live
        FROM endpoint_share WHERE endpoint_id = endpoint
        -- Among equals the order changes every few seconds: nobody is always the one that goes short.
        ORDER BY CASE WHEN processes <= max_calls THEN least(wanted, max_calls) ELSE 0 END,
            md5(process_id::text || floor(extract(epoch FROM clock_timestamp()) / 5)::text) DESC
    LOOP
        IF share.live > max_calls THEN part := least(1, remaining);
        ELSE part := least(share.wanted, remaining / processes);
        END IF;
        IF share.process_id = process THEN mine := part; END IF;
        remaining := remaining - part;
        processes := processes - 1;
    END LOOP;
    SELECT count(*) INTO processes FROM endpoint_share WHERE endpoint_id = endpoint;
    RETURN mine + CASE WHEN processes > 0 THEN remaining / processes ELSE 0 END;
END $$;

-- Takes, renews or gives back (wanted = 0) the share of one process. The row of endpoint_pace serialises.
-- requests and tokens are what the process wants beyond what it holds, or gives back.
CREATE FUNCTION lease_endpoint(team uuid, endpoint uuid, process uuid, seconds double precision, wants integer,
    in_flight integer, wants_requests double precision, wants_tokens double precision)
RETURNS TABLE (slots integer, max_calls integer, requests double precision, tokens double precision)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    limits record;
    pace record;
    at timestamptz;
    fair integer;
    before integer;
    others integer;
    granted integer := 0;
    request_bucket double precision;
    token_bucket double precision;
    got_requests double precision;
    got_tokens double precision;
BEGIN
    SELECT e.max_concurrency, e.requests_per_minute, e.tokens_per_minute INTO limits
    FROM model_endpoint e WHERE e.team_id = team AND e.id = endpoint;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO endpoint_pace (endpoint_id, team_id, refilled_at) VALUES (endpoint, team, clock_timestamp())
    ON CONFLICT DO NOTHING;
    SELECT p.requests, p.tokens, p.refilled_at INTO pace FROM endpoint_pace p WHERE p.endpoint_id = endpoint FOR UPDATE;
    at := clock_timestamp();

    SELECT s.slots INTO before FROM endpoint_share s WHERE s.endpoint_id = endpoint AND s.process_id = process;
    DELETE FROM endpoint_share s WHERE s.endpoint_id = endpoint
        AND (s.expires_at < at OR s.process_id = process AND wants = 0 AND in_flight = 0);
    IF wants > 0 OR in_flight > 0 THEN
        INSERT INTO endpoint_share AS s (endpoint_id, process_id, team_id, wanted, slots, expires_at)
        VALUES (endpoint, process, team, greatest(wants, in_flight), in_flight, at + seconds * interval '1 second')
        ON CONFLICT (endpoint_id, process_id) DO UPDATE
            SET wanted = excluded.wanted, slots = excluded.slots, expires_at = excluded.expires_at;
        SELECT coalesce(sum(s.slots), 0) INTO others FROM endpoint_share s
        WHERE s.endpoint_id = endpoint AND s.process_id <> process;
        fair := fair_slots(endpoint, process, limits.max_concurrency);
        granted := greatest(0, least(fair, limits.max_concurrency - others));
        UPDATE endpoint_share s SET slots = greatest(granted, in_flight)
        WHERE s.endpoint_id = endpoint AND s.process_id = process;
    END IF;
    -- Others hold what is this process' part, or there is room again for others: they should look.
    IF granted < fair AND granted < wants OR greatest(granted, in_flight) < coalesce(before, 0) AND EXISTS (
        SELECT FROM endpoint_share s
        WHERE s.endpoint_id = endpoint AND s.process_id <> process AND s.slots < s.wanted) THEN
        PERFORM pg_notify('assay_wake_up', 'endpoint:' || endpoint);
    END IF;

    IF limits.requests_per_minute IS NOT NULL THEN
        request_bucket := pace_bucket(limits.requests_per_minute, pace.requests, extract(epoch FROM at - pace.refilled_at));
        got_requests := least(wants_requests, floor(greatest(request_bucket, 0)));
        request_bucket := request_bucket - got_requests;
    END IF;
    IF limits.tokens_per_minute IS NOT NULL THEN
        token_bucket := pace_bucket(limits.tokens_per_minute, pace.tokens, extract(epoch FROM at - pace.refilled_at));
        got_tokens := least(wants_tokens, greatest(token_bucket, 0));
        token_bucket := token_bucket - got_tokens;
    END IF;
    UPDATE endpoint_pace p SET requests = request_bucket, tokens = token_bucket, refilled_at = at
    WHERE p.endpoint_id = endpoint;
    RETURN QUERY SELECT granted, limits.max_concurrency, got_requests, got_tokens;
END $$;
