import { z } from "zod";
import { deliverMail } from "#src/domain/operations/mail/index.ts";
import { defineFunction } from "./serve.ts";

/** One attempt to deliver a queued mail. */
export const sendMail = defineFunction({
  name: "send-mail",
  payload: z.object({ sealed: z.string(), attempt: z.int().min(1) }),
  run: (services, payload) => deliverMail(services, payload),
});
