import { z } from "zod";
import { storableText } from "#src/lib/storable-text.ts";
import type { OAuthProfile } from "./provider.ts";

const MAX_NAME = 100;

/** As strict as registration: an address that registration refuses is dropped here. */
const Email = z.email().max(320);
const Picture = z.url({ protocol: /^https$/u }).max(2048);

/**
 * Limits a provider's profile to what an account accepts. `email` is included only if the provider says that it is
 * verified.
 */
export function profileOf(told: {
  accountId: string;
  email: string | undefined;
  name: string | null | undefined;
  avatarUrl: string | null | undefined;
}): OAuthProfile {
  const email = Email.safeParse(told.email).data;
  const name = storableText((told.name ?? "").trim().slice(0, MAX_NAME));
  const avatarUrl = Picture.safeParse(told.avatarUrl).data;
  return {
    accountId: told.accountId,
    ...(email !== undefined && { email }),
    ...(name !== "" && { name }),
    ...(avatarUrl !== undefined && { avatarUrl }),
  };
}
