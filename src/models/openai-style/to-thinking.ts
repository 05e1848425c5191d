import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { atMostHigh, type ThinkingEffort } from "../thinking.ts";

/** OpenAI's fields together with those of other servers. */
type Body = Pick<ChatCompletionCreateParamsStreaming, "reasoning_effort"> & {
  reasoning?: { effort: ThinkingEffort };
  thinking?: { type: "enabled" };
};

/** How thinking is requested from a kind of model. */
interface Dialect {
  /** Id of the provider; `api.openai.com` is OpenAI's own server, for any account. */
  server?: string;
  /** Matches the bare name, in lower case, with hyphens for dots: `gpt-5-1`. */
  name?: RegExp;
  /** The fields for an effort, with and without tools. */
  say(effort: ThinkingEffort | undefined, withTools: boolean): Body;
}

const nothing = (): Body => ({});
const whole: Dialect["say"] = (effort) => (effort ? { reasoning_effort: effort } : {});
const upToHigh: Dialect["say"] = (effort) => (effort ? { reasoning_effort: atMostHigh(effort) } : {});
const switchedOn: Dialect["say"] = (effort) => (effort ? { thinking: { type: "enabled" } } : {});

/** The first match counts. Requests to other models contain no setting: servers refuse unknown parameters. */
const DIALECTS: readonly Dialect[] = [
  // For every model; models that do not think ignore it. https://openrouter.ai/docs/use-cases/reasoning-tokens
  { server: "openrouter", say: (effort) => (effort ? { reasoning: { effort } } : {}) },
  // https://platform.openai.com/docs/guides/reasoning, and each model's own page
  { name: /^o1-(mini|preview)|^gpt-5(-\d+)?-(chat|search)/u, say: nothing },
  // With tools, OpenAI's chat completions accept no effort from GPT-5.2 on, and from GPT-5.4 on only an explicit
  // `none`: https://github.com/openai/openai-openapi/issues/541, https://github.com/BerriAI/litellm/pull/34569
  {
    server: "api.openai.com",
    name: /^gpt-(5-[4-9]|5-\d\d|[6-9])/u,
    say: (effort, withTools) => (withTools ? { reasoning_effort: "none" } : whole(effort, withTools)),
  },
  {
    server: "api.openai.com",
    name: /^gpt-5-[23]/u,
    say: (effort, withTools) => (withTools ? {} : whole(effort, withTools)),
  },
  { name: /^gpt-(5-[2-9]|5-\d\d|[6-9])/u, say: whole },
  { name: /^gpt-5|^gpt-oss|^o[1-9]/u, say: upToHigh },
  // https://ai.google.dev/gemini-api/docs/openai#thinking
  { server: "google", name: /^gemini-(2-5|[3-9])/u, say: upToHigh },
  // https://api-docs.deepseek.com/guides/thinking_mode; the reasoner always thinks.
  { server: "deepseek", name: /^deepseek-(?!reasoner)/u, say: switchedOn },
  // https://docs.z.ai/guides/capabilities/thinking
  { server: "z-ai", name: /^glm-(4-[5-9]|[5-9])/u, say: switchedOn },
];

/** Returns the thinking fields of a request; empty without an effort, or for a model without this setting. */
export function toThinking(
  server: string,
  model: string,
  { effort, withTools }: { effort: ThinkingEffort | undefined; withTools: boolean },
): Body {
  const bare = model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(".", "-");
  const dialect = DIALECTS.find(
    (each) => (each.server ?? server) === server && (each.name?.test(bare) ?? true),
  );
  return dialect?.say(effort, withTools) ?? {};
}
