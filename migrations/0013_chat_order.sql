DROP INDEX "messages_chat";--> statement-breakpoint
DROP INDEX "tasks_chat_created";--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "summarized_seq" integer;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "last_seq" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "unfinished_tasks" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "seq" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "seq" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- The order that ids gave until now: a message has the place of its task. This fills the columns before the indexes are made.
UPDATE "messages" SET "seq" = placed.seq FROM (
  SELECT "id", dense_rank() OVER (PARTITION BY "chat_id" ORDER BY coalesce("task_id", "id")) AS seq FROM "messages"
) AS placed WHERE "messages"."id" = placed."id";--> statement-breakpoint
UPDATE "tasks" SET "seq" = "messages"."seq" FROM "messages"
WHERE "messages"."task_id" = "tasks"."id" AND "messages"."role" = 'user';--> statement-breakpoint
UPDATE "chats" SET "last_seq" = said.last_seq, "summarized_seq" = said.summarized_seq FROM (
  SELECT "messages"."chat_id", max("messages"."seq") AS last_seq,
    max("messages"."seq") FILTER (WHERE coalesce("messages"."task_id", "messages"."id") <= "chats"."summarized_through") AS summarized_seq
  FROM "messages" JOIN "chats" ON "chats"."id" = "messages"."chat_id" GROUP BY "messages"."chat_id"
) AS said WHERE "chats"."id" = said."chat_id";--> statement-breakpoint
UPDATE "chats" SET "unfinished_tasks" = waiting.ids FROM (
  SELECT "chat_id", array_agg("id" ORDER BY ("status" = 'running') DESC, "id") AS ids
  FROM "tasks" WHERE "status" IN ('queued', 'running') GROUP BY "chat_id"
) AS waiting WHERE "chats"."id" = waiting."chat_id";--> statement-breakpoint
CREATE INDEX "chats_unfinished" ON "chats" USING btree ("id") WHERE "chats"."unfinished_tasks" <> '{}';--> statement-breakpoint
CREATE INDEX "messages_chat_seq" ON "messages" USING btree ("chat_id","seq");--> statement-breakpoint
CREATE INDEX "tasks_chat_seq" ON "tasks" USING btree ("chat_id","seq");