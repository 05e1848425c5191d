CREATE TABLE "channel_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_config_id" uuid NOT NULL,
	"event_id" text NOT NULL,
	"session_key" text NOT NULL,
	"sender_id" text NOT NULL,
	"event" jsonb,
	"task_id" uuid,
	"handled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_config_id" uuid NOT NULL,
	"session_key" text NOT NULL,
	"user_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"platform_chat_type" text NOT NULL,
	"platform_thread_id" text,
	"sender_id" text NOT NULL,
	"sender_name" text NOT NULL,
	"chat_id" uuid,
	"last_active_at" timestamp (3) with time zone NOT NULL,
	"idle_timeout_minutes" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "channel_messages_platform_unique";--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "inbound_mode" text DEFAULT 'webhook' NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "has_reactions" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "connection_state" text;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "kind" text DEFAULT 'message' NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "platform_chat_type" text;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "platform_thread_id" text;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "occasion" text;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "reply_to" text;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "reply_target" text;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "buttons" jsonb;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "pieces_sent" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "next_attempt_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "may_be_sent" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "sending_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD COLUMN "home_channel_config_id" uuid;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD COLUMN "home_chat_id" text;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD COLUMN "home_thread_id" text;--> statement-breakpoint
ALTER TABLE "channel_events" ADD CONSTRAINT "channel_events_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_chat_id_chats_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."chats"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "channel_events_platform_unique" ON "channel_events" USING btree ("channel_config_id","event_id");--> statement-breakpoint
CREATE INDEX "channel_events_open" ON "channel_events" USING btree ("channel_config_id","session_key","sender_id","id") WHERE "channel_events"."handled_at" IS NULL;--> statement-breakpoint
CREATE INDEX "channel_events_created" ON "channel_events" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_sessions_place_unique" ON "channel_sessions" USING btree ("channel_config_id","session_key","user_id");--> statement-breakpoint
CREATE INDEX "channel_sessions_chat" ON "channel_sessions" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "channel_sessions_user" ON "channel_sessions" USING btree ("user_id","last_active_at");--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_home_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("home_channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "channel_messages_occasion_unique" ON "channel_messages" USING btree ("occasion");--> statement-breakpoint
CREATE INDEX "channel_messages_pending" ON "channel_messages" USING btree ("channel_config_id","jid","id") WHERE "channel_messages"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "platform_identities_home" ON "platform_identities" USING btree ("home_channel_config_id");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_messages_platform_unique" ON "channel_messages" USING btree ("channel_config_id","direction","platform_message_id") WHERE "channel_messages"."direction" = 'inbound';