import { z } from "zod";
import type { Api } from "../api.ts";

/** The calls of a credential, and the paths of its account. */
export interface CloudflareApi {
  api: Api;
  account: string;
  /** `/accounts/{account}/workers` */
  workers: string;
  /** Where the scripts are: the account's own, or those of a namespace. */
  scripts: string;
  isDispatched: boolean;
}

/** Cloudflare's answers are in an envelope. */
export const answerOf = <T>(schema: z.ZodType<T>) => z.object({ success: z.literal(true), result: schema });
