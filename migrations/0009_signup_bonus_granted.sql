ALTER TABLE "teams" ADD COLUMN "signup_bonus_granted_at" timestamp (3) with time zone;--> statement-breakpoint
-- Personal teams had their bonus when they were made. Other teams have no daily credits any more.
UPDATE "teams" SET "signup_bonus_granted_at" = "created_at" WHERE "is_personal";--> statement-breakpoint
UPDATE "teams" SET "daily_credits" = 0 WHERE NOT "is_personal" AND "daily_credits" > 0;
