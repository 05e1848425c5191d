import type { Env } from "#src/env.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";

/* What the client of each vendor takes from the configuration. */

export function oauthConfig(env: Env) {
  const callback = (provider: string) => `${withoutSlash(env.PUBLIC_URL)}/api/auth/${provider}/callback`;
  return {
    github: {
      clientId: env.GITHUB_CLIENT_ID,
      clientSecret: env.GITHUB_CLIENT_SECRET,
      redirectUri: env.GITHUB_OAUTH_REDIRECT_URI ?? callback("github"),
      baseUrl: withoutSlash(env.GITHUB_OAUTH_BASE_URL),
      apiBaseUrl: withoutSlash(env.GITHUB_API_BASE_URL),
    },
    google: {
      clientId: env.GOOGLE_CLIENT_ID,
      clientSecret: env.GOOGLE_CLIENT_SECRET,
      redirectUri: env.GOOGLE_OAUTH_REDIRECT_URI ?? callback("google"),
      issuer: env.GOOGLE_OAUTH_ISSUER,
    },
    timeoutMs: env.OAUTH_TIMEOUT_SECONDS * 1000,
    production: env.ENVIRONMENT === "production",
  };
}

/** GitHub's OAuth app is the one for sign-ins: its redirect address may be below the registered one. */
export function gitHostConfig(env: Env) {
  const callback = (host: string) =>
    `${withoutSlash(env.PUBLIC_URL)}/api/git-providers/${host}/oauth/callback`;
  return {
    github: {
      clientId: env.GITHUB_CLIENT_ID,
      clientSecret: env.GITHUB_CLIENT_SECRET,
      redirectUri: callback("github"),
      baseUrl: withoutSlash(env.GITHUB_OAUTH_BASE_URL),
      apiBaseUrl: withoutSlash(env.GITHUB_API_BASE_URL),
    },
    gitlab: {
      clientId: env.GITLAB_CLIENT_ID,
      clientSecret: env.GITLAB_CLIENT_SECRET,
      redirectUri: env.GITLAB_OAUTH_REDIRECT_URI ?? callback("gitlab"),
      baseUrl: withoutSlash(env.GITLAB_API_BASE_URL),
    },
    bitbucket: {
      clientId: env.BITBUCKET_CLIENT_ID,
      clientSecret: env.BITBUCKET_CLIENT_SECRET,
      redirectUri: env.BITBUCKET_OAUTH_REDIRECT_URI ?? callback("bitbucket"),
      baseUrl: withoutSlash(env.BITBUCKET_OAUTH_BASE_URL),
      apiBaseUrl: withoutSlash(env.BITBUCKET_API_BASE_URL),
    },
    timeoutMs: env.OAUTH_TIMEOUT_SECONDS * 1000,
    production: env.ENVIRONMENT === "production",
  };
}

export function platformUrls(env: Env) {
  return {
    telegram: withoutSlash(env.TELEGRAM_API_BASE_URL),
    slack: withoutSlash(env.SLACK_API_BASE_URL),
    discord: withoutSlash(env.DISCORD_API_BASE_URL),
    whatsapp: withoutSlash(env.WHATSAPP_API_BASE_URL),
  };
}

export function webSearchConfig(env: Env) {
  return {
    provider: env.WEB_SEARCH_PROVIDER,
    accounts: {
      tavily: { apiKey: env.TAVILY_API_KEY, baseUrl: withoutSlash(env.TAVILY_API_BASE) },
      brave: { apiKey: env.BRAVE_API_KEY, baseUrl: withoutSlash(env.BRAVE_API_BASE) },
    },
    defaultResults: env.WEB_SEARCH_MAX_RESULTS,
    timeoutMs: env.WEB_SEARCH_TIMEOUT * 1000,
  };
}

export function transcriptionConfig(env: Env) {
  const { fetch: send } = modelCalls(env);
  return {
    isOn: env.GATEWAY_VOICE_TRANSCRIPTION,
    model: env.GATEWAY_VOICE_MODEL,
    account: { apiKey: env.OPENAI_API_KEY, baseUrl: withoutSlash(env.OPENAI_BASE_URL) },
    demoUrl: env.ENVIRONMENT === "production" ? undefined : env.DEMO_MODEL_URL,
    fetch: send,
  };
}

export function modelConfig(env: Env, name: string | null) {
  return {
    name: name ?? env.DEFAULT_MODEL,
    accounts: {
      openai: { apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL },
      anthropic: { apiKey: env.ANTHROPIC_API_KEY, baseURL: env.ANTHROPIC_BASE_URL },
      demoURL: env.DEMO_MODEL_URL,
    },
    ...modelCalls(env),
  };
}

export function modelCalls(env: Env) {
  return {
    // Called as a plain function, because workerd refuses a detached `fetch` with another `this`.
    fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init),
    stallMs: env.MODEL_STALL_SECONDS * 1000,
    maxRetries: env.MODEL_MAX_RETRIES,
  };
}
