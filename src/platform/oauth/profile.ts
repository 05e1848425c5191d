import { z } from "zod";
import { storableText } from "#src/lib/storable-text.ts";
import type { OAuthProfile } from "./provider.ts";

const MAX_NAME = 100;

/** As strict as registration: what is no address for it is none here. */
const Email = z.email().max(320);
const Picture = z.url({ protocol: /^https$/u }).max(2048);

/** What a provider said, cut to what an account takes. `email` is given only where the provider vouches for it. */
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
