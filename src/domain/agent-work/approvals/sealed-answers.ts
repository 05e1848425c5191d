import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { GivenAnswers } from "#src/wire/asked-input.ts";

/** One answer to a field of a form. */
export const Answer = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const Answers = z.record(z.string(), Answer);

/** Seals the answers to a server's form, which may be secrets, for the time until the server has them. */
export async function sealAnswers(
  { secrets }: { secrets: Pick<Secrets, "encrypt"> },
  answers: GivenAnswers | null,
): Promise<string | null> {
  return answers && secrets.encrypt(JSON.stringify(answers));
}

/** Throws `InvalidToken` when no configured key opens them. */
export async function openAnswers(
  { secrets }: { secrets: Pick<Secrets, "decrypt"> },
  encrypted: string | null,
): Promise<GivenAnswers | null> {
  return encrypted === null ? null : parseJson(await secrets.decrypt(encrypted), Answers);
}
