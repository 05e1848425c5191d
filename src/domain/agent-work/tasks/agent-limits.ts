import { ALLOWANCES } from "#src/domain/operations/limits/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { rateHeaders } from "#src/lib/rate-headers.ts";

/** How much work a person may give to agents. Names and defaults are the configuration contract; 0 is no limit. */
export interface AgentLimits {
  /** Chats of one person, in all projects, in which an agent is at work. */
  USER_MAX_CONCURRENT_AGENTS: number;
  /** Chats of one project, of all its people, in which an agent is at work. */
  PROJECT_MAX_CONCURRENT_AGENTS: number;
  /** Messages to agents in any ten seconds, over all keys, sessions and sockets of one person. */
  USER_ENQUEUE_RATE_PER_10S: number;
}

/** The limits that are configured, and the rates that decide the defaults of the others. */
export type AgentLimitConfig = { [Limit in keyof AgentLimits]?: number | undefined } & {
  USER_RATE_PER_MINUTE: number;
  CHAT_RATE_PER_MINUTE: number;
};

const DEFAULTS: AgentLimits = {
  USER_MAX_CONCURRENT_AGENTS: ALLOWANCES.agentsOfPerson.most,
  PROJECT_MAX_CONCURRENT_AGENTS: ALLOWANCES.agentsOfProject.most,
  USER_ENQUEUE_RATE_PER_10S: ALLOWANCES.messagesToAgents.most,
};
const NONE: AgentLimits = {
  USER_MAX_CONCURRENT_AGENTS: 0,
  PROJECT_MAX_CONCURRENT_AGENTS: 0,
  USER_ENQUEUE_RATE_PER_10S: 0,
};

/** The limits of a configuration. Without rate limits there are no default agent limits either. */
export function agentLimits(config: AgentLimitConfig): AgentLimits {
  const isUnlimited = config.USER_RATE_PER_MINUTE === 0 && config.CHAT_RATE_PER_MINUTE === 0;
  const otherwise = isUnlimited ? NONE : DEFAULTS;
  return {
    USER_MAX_CONCURRENT_AGENTS: config.USER_MAX_CONCURRENT_AGENTS ?? otherwise.USER_MAX_CONCURRENT_AGENTS,
    PROJECT_MAX_CONCURRENT_AGENTS:
      config.PROJECT_MAX_CONCURRENT_AGENTS ?? otherwise.PROJECT_MAX_CONCURRENT_AGENTS,
    USER_ENQUEUE_RATE_PER_10S: config.USER_ENQUEUE_RATE_PER_10S ?? otherwise.USER_ENQUEUE_RATE_PER_10S,
  };
}

/** Whether any limit is set. */
export function isLimited(limits: AgentLimits): boolean {
  const { USER_MAX_CONCURRENT_AGENTS, PROJECT_MAX_CONCURRENT_AGENTS, USER_ENQUEUE_RATE_PER_10S } = limits;
  return USER_MAX_CONCURRENT_AGENTS + PROJECT_MAX_CONCURRENT_AGENTS + USER_ENQUEUE_RATE_PER_10S > 0;
}

/** A limit that is reached, and how much of it is used. */
export interface Exceeded {
  of: "person" | "project" | "rate";
  limit: number;
  current: number;
  /** Seconds until there is room, or, when that is unknown, until a retry is worthwhile. */
  waitSeconds: number;
}

/** Suggested retry delay: when an agent will end is unknown. */
export const WAIT_FOR_AGENT_SECONDS = 10;

const REASONS: Record<Exceeded["of"], (limit: number) => string> = {
  person: (limit) => `You already have ${limit} agents at work, the most allowed: wait until one ends`,
  project: (limit) =>
    `This project already has ${limit} agents at work, the most allowed: wait until one ends`,
  rate: (limit) => `Too many messages to agents: the limit is ${limit} in ten seconds`,
};

/**
 * The refusal of a message that exceeds a limit. It carries `limit` and `current` beside its message, over HTTP and on
 * sockets.
 */
export function noRoom({ of, limit, current, waitSeconds }: Exceeded): AppError {
  return new AppError("rate_limited", REASONS[of](limit), {
    retryAfterSeconds: waitSeconds,
    headers: rateHeaders({ limit, remaining: 0, resetSeconds: waitSeconds }),
    extra: { limit, current },
  });
}
