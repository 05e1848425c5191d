ALTER TABLE "external_api_keys" ADD COLUMN "previous_webhook_secret_encrypted" text;--> statement-breakpoint
ALTER TABLE "external_api_keys" ADD COLUMN "previous_webhook_secret_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD COLUMN "ended_because" text;