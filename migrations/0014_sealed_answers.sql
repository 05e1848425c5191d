ALTER TABLE "approvals" ADD COLUMN "encrypted_answers" text;--> statement-breakpoint
ALTER TABLE "oauth_requests" DROP COLUMN "resource";--> statement-breakpoint
ALTER TABLE "approvals" DROP COLUMN "answers";