CREATE TABLE "credit_reservations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid NOT NULL,
	"task_id" uuid,
	"credits" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "reserved_credits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "credit_reservations" ADD CONSTRAINT "credit_reservations_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_reservations_team" ON "credit_reservations" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "credit_reservations_task" ON "credit_reservations" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "credit_reservations_expires" ON "credit_reservations" USING btree ("expires_at");