CREATE TABLE "device_sign_ins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"device_code_hash" text NOT NULL,
	"user_code_hash" text NOT NULL,
	"client_name" text NOT NULL,
	"ip_address" text NOT NULL,
	"network" text NOT NULL,
	"interval_seconds" integer NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"decision" text,
	"decided_at" timestamp (3) with time zone,
	"decided_by_session_id" uuid,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "client_name" text;--> statement-breakpoint
ALTER TABLE "device_sign_ins" ADD CONSTRAINT "device_sign_ins_decided_by_session_id_sessions_id_fk" FOREIGN KEY ("decided_by_session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "device_sign_ins_device_code_hash_unique" ON "device_sign_ins" USING btree ("device_code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "device_sign_ins_user_code_hash_unique" ON "device_sign_ins" USING btree ("user_code_hash");--> statement-breakpoint
CREATE INDEX "device_sign_ins_network" ON "device_sign_ins" USING btree ("network","expires_at");--> statement-breakpoint
CREATE INDEX "device_sign_ins_decided_by_session" ON "device_sign_ins" USING btree ("decided_by_session_id");--> statement-breakpoint
CREATE INDEX "device_sign_ins_expires" ON "device_sign_ins" USING btree ("expires_at");