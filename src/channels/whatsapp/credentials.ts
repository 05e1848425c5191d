import { z } from "zod";
import { idText, secretText } from "../credentials.ts";

/** What an owner enters of an app with WhatsApp's Cloud API. */
export const credentials = z.object({
  access_token: secretText,
  phone_number_id: idText,
  verify_token: secretText,
  app_secret: secretText,
});
export type WhatsappCredentials = z.infer<typeof credentials>;
