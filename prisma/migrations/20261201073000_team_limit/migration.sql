-- A team may have a limit of its own: calls in flight at all its endpoints together.
ALTER TABLE "team" ADD COLUMN "max_concurrency" INTEGER;
ALTER TABLE "team" ADD CONSTRAINT "team_limit" CHECK ("max_concurrency" > 0);

-- What a process may have in flight at an endpoint by the limit of the team: its fair part, when all shares of the team
-- go by demand as those of one endpoint do (fair_slots), and what the others leave. No row where there is no limit. The
-- team's row serialises.
CREATE FUNCTION team_slots(team uuid, endpoint uuid, process uuid) RETURNS TABLE (fair integer, free integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    most integer;
    share record;
    shares integer := 0;
    remaining integer;
    part integer;
    mine integer := 0;
    others integer := 0;
BEGIN
    SELECT t.max_concurrency INTO most FROM team t WHERE t.id = team;
    IF most IS NULL THEN RETURN; END IF;
    SELECT t.max_concurrency INTO most FROM team t WHERE t.id = team FOR NO KEY UPDATE;
    remaining := most;
    FOR share IN
        SELECT s.endpoint_id = endpoint AND s.process_id = process AS own, least(s.wanted, most) AS wanted, s.slots,
            count(*) OVER ()::integer AS live, row_number() OVER turn::integer AS place
        FROM endpoint_share s WHERE s.team_id = team AND s.expires_at >= clock_timestamp()
        WINDOW turn AS (ORDER BY CASE WHEN (SELECT count(*) FROM endpoint_share l
                WHERE l.team_id = team AND l.expires_at >= clock_timestamp()) <= most THEN least(s.wanted, most) ELSE 0 END,
            md5(s.endpoint_id::text || s.process_id::text || floor(extract(epoch FROM clock_timestamp()) / 5)::text) DESC)
        ORDER BY place
    LOOP
        shares := share.live;
        IF share.live > most THEN part := least(1, remaining);
        ELSE part := least(share.wanted, remaining / (share.live - share.place + 1));
        END IF;
        IF share.own THEN mine := part; ELSE others := others + share.slots; END IF;
        remaining := remaining - part;
    END LOOP;
    RETURN QUERY SELECT mine + CASE WHEN shares > 0 THEN remaining / shares ELSE 0 END, greatest(0, most - others);
END $$;

-- As before, and within the limit of the team.
-- Takes, renews or gives back (wanted = 0) the share of one process. The row of endpoint_pace serialises.
-- requests and tokens are what the process wants beyond what it holds, or gives back.
CREATE OR REPLACE FUNCTION lease_endpoint(team uuid, endpoint uuid, process uuid, seconds double precision, wants integer,
    in_flight integer, wants_requests double precision, wants_tokens double precision)
RETURNS TABLE (slots integer, max_calls integer, requests double precision, tokens double precision)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    limits record;
    pace record;
    at timestamptz;
    fair integer;
    of_team record;
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
        SELECT t.fair, t.free INTO of_team FROM team_slots(team, endpoint, process) AS t;
        -- Both null where the team has no limit of its own.
        fair := least(fair, of_team.fair);
        granted := greatest(0, least(fair, limits.max_concurrency - others, of_team.free));
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
