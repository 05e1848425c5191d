import { expect } from "vitest";
import type { ApiAnswer } from "./api-client.ts";

/** The round trips of a request that succeeded, as the service counts them. */
export function tripsOf({ status, text, headers }: ApiAnswer<unknown>): { db: number; publish: number } {
  expect([status, text]).toEqual([200, text]);
  const shown = headers.get("server-timing") ?? "";
  const count = (kind: string) => Number(new RegExp(`${kind};desc="(\\d+)"`, "u").exec(shown)?.[1]);
  return { db: count("db"), publish: count("publish") };
}
