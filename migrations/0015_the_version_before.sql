-- Versions without jobs kept in its row what was still to be done, and until when an executor had it: each gets its job, due then.
INSERT INTO "jobs" ("kind", "key", "payload", "share", "due_at")
SELECT * FROM (
  SELECT 'deliver-callback', id::text, jsonb_build_object('taskId', id), user_id::text, now() FROM "tasks"
  WHERE callback_status = 'pending' AND completed_at IS NOT NULL
  UNION ALL
  SELECT 'clone-repository', project_id::text, jsonb_build_object('projectId', project_id), NULL, greatest(lease_until, now())
  FROM "repositories" WHERE sync_status = 'cloning'
  UNION ALL
  SELECT 'handle-stripe-event', id, jsonb_build_object('eventId', id), NULL, now() FROM "stripe_events" WHERE status = 'received'
  UNION ALL
  SELECT 'destroy-workspace', project_id::text, jsonb_build_object('projectId', project_id, 'slug', NULL), NULL, now()
  FROM "background_tasks" WHERE completed_at IS NULL AND type = 'project_deletion' AND status = 'running'
  UNION ALL
  SELECT 'deliver-outbox-message', m.id::text, jsonb_build_object('messageId', m.id), c.user_id::text, greatest(m.next_attempt_at, now())
  FROM "channel_messages" m JOIN "channel_configs" c ON c.id = m.channel_config_id WHERE m.status = 'pending'
  UNION ALL
  SELECT 'advance-run', task_id::text, jsonb_build_object('taskId', task_id), NULL, now()
  FROM "schedule_runs" WHERE status IN ('enqueued', 'waiting', 'running')
  UNION ALL
  SELECT 'settle-project', id::text, jsonb_build_object('projectId', id), NULL, greatest(lease_until, now())
  FROM "projects" WHERE wanted IS NOT NULL
  UNION ALL
  SELECT 'run-deployment', id::text, jsonb_build_object('deploymentId', id), NULL, greatest(lease_until, due_at, now())
  FROM "deployments" WHERE status NOT IN ('success', 'failed', 'cancelled')
) AS remains (kind, key, payload, share, due_at)
WHERE NOT EXISTS (SELECT 1 FROM "jobs" WHERE jobs.kind = remains.kind AND jobs.key = remains.key)
ON CONFLICT DO NOTHING;--> statement-breakpoint
-- Its executor left no outcome: the platform may have the message.
UPDATE "channel_messages" SET "may_be_sent" = true WHERE status = 'pending' AND sending_since IS NOT NULL;--> statement-breakpoint
-- Where a task came from was in its message.
UPDATE "tasks" SET "source" = CASE WHEN origin IN ('api', 'browser', 'standalone') THEN jsonb_build_object('kind', origin)
  ELSE jsonb_strip_nulls(
    CASE origin WHEN 'schedule' THEN '{"kind": "schedule"}' ELSE jsonb_build_object('kind', 'channel', 'platform', origin) END
    || coalesce((
      SELECT jsonb_build_object('sessionId', was ->> 'session_id', 'messageId', was ->> 'message_id', 'replyTo', was ->> 'reply_to',
        'replyTarget', was ->> 'reply_target', 'scheduleId', was ->> 'id', 'runId', was ->> 'run_id')
      FROM "messages" m, coalesce(m.message_metadata -> 'channel', m.message_metadata -> 'schedule') AS was
      WHERE m.task_id = tasks.id AND m.role = 'user'), '{}'))
  END
WHERE source IS NULL;--> statement-breakpoint
-- Versions that did not record a chat's unfinished tasks have stored some, and ended others.
UPDATE "chats" SET "unfinished_tasks" = forgotten.ids || unfinished_tasks FROM (
  SELECT t.chat_id, array_agg(t.id ORDER BY t.seq, t.id) AS ids FROM "tasks" t JOIN "chats" c ON c.id = t.chat_id
  WHERE t.status IN ('queued', 'running') AND t.id <> ALL (c.unfinished_tasks) GROUP BY t.chat_id
) AS forgotten WHERE chats.id = forgotten.chat_id;--> statement-breakpoint
UPDATE "chats" SET "unfinished_tasks" = ARRAY(SELECT u.id FROM unnest(unfinished_tasks) WITH ORDINALITY AS u (id, place)
  WHERE NOT EXISTS (SELECT 1 FROM "tasks" WHERE tasks.id = u.id AND tasks.status NOT IN ('queued', 'running')) ORDER BY u.place)
WHERE unfinished_tasks <> '{}' AND EXISTS (
  SELECT 1 FROM "tasks" WHERE tasks.id = ANY (unfinished_tasks) AND tasks.status NOT IN ('queued', 'running'));--> statement-breakpoint
-- One statement takes the locks of all five tables: between two, a request could have one table and wait for the other.
DROP INDEX "chats_unfinished", "repositories_cloning", "projects_wanted", "schedule_runs_open", "tasks_callback_pending";--> statement-breakpoint
ALTER TABLE "tasks" ALTER COLUMN "source" SET NOT NULL;