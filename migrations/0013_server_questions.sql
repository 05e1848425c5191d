DROP INDEX "approvals_task_call_unique";--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "question" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "asked" jsonb;--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "answers" jsonb;--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_task_call_unique" ON "approvals" USING btree ("task_id","iteration","call_id","question");