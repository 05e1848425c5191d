/** Identifiers of calls that a server accepts; any other is sent as its hash. */
export interface IdRule {
  valid: RegExp;
  /** Length of a hash. */
  chars: number;
}

/** "string too long. Expected a string with maximum length 40": https://github.com/camel-ai/camel/issues/2215 */
export const OPENAI_IDS: IdRule = { valid: /^\S{1,40}$/u, chars: 32 };

/** "must be a-z, A-Z, 0-9, with a length of 9": https://docs.mistral.ai/capabilities/function_calling/ */
const MISTRAL_IDS: IdRule = { valid: /^[a-zA-Z0-9]{9}$/u, chars: 9 };

/** Gateways put signatures of several thousand characters into ids and need them back. */
const ANY_IDS: IdRule = { valid: /^\S+$/u, chars: 32 };

const MISTRAL_MODELS = /mistral|mixtral|ministral|codestral|devstral|magistral|pixtral/u;

export function idRuleOf(model: string, host: string): IdRule {
  if (host === "api.openai.com") return OPENAI_IDS;
  // Other servers of Mistral's models use its templates, which check the ids.
  return MISTRAL_MODELS.test(model.toLowerCase()) ? MISTRAL_IDS : ANY_IDS;
}
