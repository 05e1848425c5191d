ALTER TABLE "platform_identities" DROP CONSTRAINT "platform_identities_channel_config_id_channel_configs_id_fk";
--> statement-breakpoint
DROP INDEX "platform_identities_sender_unique";--> statement-breakpoint
DROP INDEX "platform_identities_channel";--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "bot_team_id" text;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "bot_app_id" text;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "proved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "prove_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "links_shared_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "user_id" uuid;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD COLUMN "identity_id" uuid;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD COLUMN "identity_id" uuid;--> statement-breakpoint
-- A link counts in one channel. Those that there are become links of the channels that the person used: where a code was
-- entered, where a session is, and where the home is. Ids of senders differ where a platform knows a person by two.
INSERT INTO "platform_identities" ("id", "user_id", "platform", "platform_user_id", "platform_username", "is_verified",
  "channel_config_id", "paired_at", "home_channel_config_id", "home_chat_id", "home_thread_id", "created_at")
SELECT gen_random_uuid(), i."user_id", i."platform", i."platform_user_id", i."platform_username", true, c."id", i."paired_at",
  CASE WHEN i."home_channel_config_id" = c."id" THEN c."id" END,
  CASE WHEN i."home_channel_config_id" = c."id" THEN i."home_chat_id" END,
  CASE WHEN i."home_channel_config_id" = c."id" THEN i."home_thread_id" END,
  i."created_at"
FROM "platform_identities" i JOIN "channel_configs" c ON c."channel_type" = i."platform"
WHERE i."is_verified" AND i."user_id" IS NOT NULL AND c."id" IS DISTINCT FROM i."channel_config_id"
  AND (c."id" = i."home_channel_config_id" OR EXISTS (
    SELECT 1 FROM "channel_sessions" s WHERE s."channel_config_id" = c."id" AND s."user_id" = i."user_id"
      AND (s."sender_id" = i."platform_user_id" OR NOT EXISTS (
        SELECT 1 FROM "platform_identities" o
        WHERE o."platform" = i."platform" AND o."platform_user_id" = s."sender_id" AND o."user_id" = i."user_id"))));--> statement-breakpoint
UPDATE "platform_identities" SET "home_channel_config_id" = NULL, "home_chat_id" = NULL, "home_thread_id" = NULL
WHERE "home_channel_config_id" <> "channel_config_id";--> statement-breakpoint
DELETE FROM "platform_identities" WHERE "channel_config_id" IS NULL;--> statement-breakpoint
UPDATE "channel_sessions" s SET "identity_id" = (
  SELECT i."id" FROM "platform_identities" i
  WHERE i."channel_config_id" = s."channel_config_id" AND i."user_id" = s."user_id" AND i."is_verified"
  ORDER BY (i."platform_user_id" = s."sender_id") DESC, i."paired_at" DESC LIMIT 1);--> statement-breakpoint
-- A bot that is known was proved by a call at its platform. Slack and Discord are asked again for the workspace and the
-- application. Telegram's webhook takes nothing until it has another secret: the one that there is was shown to the owner.
UPDATE "channel_configs" SET "proved_at" = now()
WHERE "bot_id" IS NOT NULL AND NOT ("channel_type" = 'telegram' AND "inbound_mode" = 'webhook');--> statement-breakpoint
UPDATE "channel_configs" SET "prove_at" = now(), "updated_at" = now()
WHERE "is_active" AND ("inbound_mode" = 'webhook' OR "channel_type" IN ('slack', 'discord'));--> statement-breakpoint
ALTER TABLE "platform_identities" ALTER COLUMN "channel_config_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_identity_id_platform_identities_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."platform_identities"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_configs_to_prove" ON "channel_configs" USING btree ("prove_at") WHERE "channel_configs"."prove_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "channel_sessions_identity" ON "channel_sessions" USING btree ("identity_id");--> statement-breakpoint
CREATE UNIQUE INDEX "platform_identities_link_unique" ON "platform_identities" USING btree ("channel_config_id","platform_user_id");--> statement-breakpoint
CREATE INDEX "platform_identities_sender" ON "platform_identities" USING btree ("platform","platform_user_id");