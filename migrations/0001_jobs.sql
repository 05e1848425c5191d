CREATE SEQUENCE "public"."job_generations" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "jobs" (
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"payload" jsonb NOT NULL,
	"share" text,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"generation" bigint DEFAULT nextval('job_generations') NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"failed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jobs_kind_key_pk" PRIMARY KEY("kind","key")
);
--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("kind",greatest("due_at", "lease_until")) WHERE "jobs"."failed_at" IS NULL;--> statement-breakpoint
CREATE INDEX "jobs_given_up" ON "jobs" USING btree ("failed_at","kind","key") WHERE "jobs"."failed_at" IS NOT NULL;