CREATE TABLE "task_mails" (
	"task_id" uuid NOT NULL,
	"event" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "task_mails_task_id_event_pk" PRIMARY KEY("task_id","event")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "task_mail" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "task_notices" text DEFAULT 'ask' NOT NULL;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "is_shared" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "task_mails" ADD CONSTRAINT "task_mails_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_mails" ADD CONSTRAINT "task_mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "task_mails_user_created" ON "task_mails" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "chats_shared" ON "chats" USING btree ("project_id") WHERE "chats"."is_shared";