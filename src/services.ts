import { outboundPolicy, type Env } from "#src/env.ts";
import type { ApiEnvironment, ChannelAdapter, Platform } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import type { FollowUps } from "#src/domain/agent-work/tasks/index.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import { checkAccount, type AccountCheck, type AccountToCheck } from "#src/models/check-account.ts";
import { chooseOwnModel, choosePlatformModel, type OwnAccount } from "#src/models/choose.ts";
import type { Model } from "#src/models/model.ts";
import { modelSettings, type ModelSettings } from "#src/models/settings.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import { r2Archives } from "#src/platform/archives/r2.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { createLog, type Log } from "#src/platform/log/log.ts";
import { createGitHosts } from "#src/platform/git-hosts/index.ts";
import { createHosting } from "#src/platform/hosting/index.ts";
import type { Hosting } from "#src/platform/hosting/hosting.ts";
import { hostingOptions } from "#src/platform/hosting/options.ts";
import type { GitHosts } from "#src/platform/git-hosts/git-host.ts";
import type { CommandRunner } from "#src/platform/command-runner/command-runner.ts";
import { createCommandRunner } from "#src/platform/command-runner/index.ts";
import { createGitTransport } from "#src/platform/git-transport/index.ts";
import type { GitTransport } from "#src/git/transport.ts";
import { createMcpClient } from "#src/platform/mcp-client/index.ts";
import type { McpClient } from "#src/platform/mcp-client/mcp-client.ts";
import { createMcpOAuth } from "#src/platform/mcp-oauth/index.ts";
import type { McpOAuth } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { MediaCache } from "#src/platform/media-cache/media-cache.ts";
import { r2MediaCache } from "#src/platform/media-cache/r2.ts";
import { createPayments } from "#src/platform/payments/index.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import type { Mailer } from "#src/platform/mail/mailer.ts";
import { createMailer } from "#src/platform/mail/smtp.ts";
import { createOAuthProviders } from "#src/platform/oauth/index.ts";
import type { OAuthProviders } from "#src/platform/oauth/provider.ts";
import { channelConnections, type ChannelConnections } from "#src/platform/objects/channel-connections.ts";
import { gatewayShards, type GatewayShards } from "#src/platform/objects/gateway-shards.ts";
import {
  attemptWindowOf,
  eventLimits,
  rateLimitOf,
  type AttemptLimits,
  type RateLimits,
} from "#src/domain/operations/limits/index.ts";
import { attemptCounts } from "#src/platform/objects/attempt-counts.ts";
import { fileChanges, type FileChanges } from "#src/platform/objects/file-changes.ts";
import { projectNotices, type ProjectNotices } from "#src/platform/objects/project-notices.ts";
import { projectSockets, type ProjectSockets } from "#src/platform/objects/project-sockets.ts";
import { rateCounts } from "#src/platform/objects/rate-counts.ts";
import { taskLogs, type TaskLogs } from "#src/platform/objects/task-logs.ts";
import { terminals, type Terminals } from "#src/platform/objects/terminals.ts";
import { createQueue } from "#src/platform/queue/qstash.ts";
import { hastening, type Queue, type QueueMessage } from "#src/platform/queue/queue.ts";
import { createVerifier } from "#src/platform/queue/verify-signature.ts";
import { createRedis } from "#src/platform/redis/client.ts";
import { deliveryStream, type DeliveryStream } from "#src/platform/redis/delivery-stream.ts";
import { heartbeats, type Heartbeats } from "#src/platform/redis/heartbeats.ts";
import { redisState, type RedisState } from "#src/platform/redis/state.ts";
import { checkOutboundUrl } from "#src/lib/outbound-url.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import { createGuardedFetch } from "#src/platform/safe-fetch/guarded-fetch.ts";
import { createGuardedUpgrade, type GuardedUpgrade } from "#src/platform/safe-fetch/guarded-socket.ts";
import { createSafeFetch } from "#src/platform/safe-fetch/index.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import { createTranscription } from "#src/platform/transcription/index.ts";
import type { Transcription } from "#src/platform/transcription/transcription.ts";
import { announced } from "#src/platform/runtime/announced.ts";
import { createWorkspaces } from "#src/platform/runtime/index.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { createWebSearch } from "#src/platform/web-search/index.ts";
import type { WebSearch } from "#src/platform/web-search/web-search.ts";
import { createSecretsAtRest, type SecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { createWebAuthn } from "#src/platform/webauthn/index.ts";
import type { WebAuthn } from "#src/platform/webauthn/webauthn.ts";
import { createAccessTokens, type AccessTokens } from "#src/platform/tokens/access-tokens.ts";
import { createCsrfTokens, type CsrfTokens } from "#src/platform/tokens/csrf-tokens.ts";
import { createOAuthStates, type OAuthStates } from "#src/platform/tokens/oauth-states.ts";
import { createPreviewTokens, type PreviewTokens } from "#src/platform/tokens/preview-tokens.ts";
import { newTrips, type Trips } from "#src/platform/trips.ts";
import {
  gitHostConfig,
  modelCalls,
  modelConfig,
  oauthConfig,
  platformUrls,
  transcriptionConfig,
  webSearchConfig,
} from "./vendor-settings.ts";

/** All dependencies of the use cases. Constructed only here, once per request, queue delivery or Durable Object. */
export interface Services extends SecretsAtRest {
  config: Env;
  db: Db;
  /** Whether Redis responds; `off` when the service runs without Redis. */
  redisState: () => Promise<RedisState>;
  queue: Queue;
  verifyDelivery: ReturnType<typeof createVerifier>;
  accessTokens: AccessTokens;
  csrfTokens: CsrfTokens;
  /** Login providers. */
  oauth: OAuthProviders;
  oauthStates: OAuthStates;
  /** Passkeys; undefined where browsers have none for the service's address. */
  webAuthn: WebAuthn | undefined;
  previewTokens: PreviewTokens;
  gitHosts: GitHosts;
  /** Providers to which people deploy their projects. */
  hosting: Hosting;
  /** Access to git servers; a response of more than `maxBytes` is refused. */
  gitTransport: (maxBytes: number) => GitTransport;
  /** Runs emulated commands. */
  commandRunner: CommandRunner;
  mailer: Mailer;
  /** The provider of payments; undefined when it is not configured. */
  payments: Payments | undefined;
  rateLimits: RateLimits;
  /** Counts attempts; see domain/operations/limits. */
  attempts: AttemptLimits;
  taskLogs: TaskLogs;
  workspaces: ProjectWorkspaces;
  /** Notifies clients that have a project open. */
  notices: ProjectNotices;
  /** Tells them which files have changed. */
  fileChanges: FileChanges;
  sockets: ProjectSockets;
  /** Connections of channels to their platforms. */
  channelConnections: ChannelConnections;
  gatewayShards: GatewayShards;
  /** Which connections are up, for other programs. */
  heartbeats: Heartbeats;
  /** Snapshots and templates. */
  archives: ArchiveStore;
  /** Files of messages of platforms. */
  mediaCache: MediaCache;
  /** Of voice messages; undefined when it is switched off or has no account. */
  transcription: Transcription | undefined;
  /** What the service knows of the messaging platforms. */
  channels: Readonly<Record<Platform, ChannelAdapter>>;
  apiEnvironment: ApiEnvironment;
  /** What follows from tasks, by the kind of their source. */
  followUps: FollowUps;
  /** The command-line clients of users. */
  terminals: Terminals;
  /** The stream of replies; undefined when the service runs without Redis. */
  deliveryStream: DeliveryStream | undefined;
  /** For every user-supplied address. */
  safeFetch: SafeFetch;
  /** Of MCP servers, whose addresses users supply, too. */
  mcpClient: McpClient;
  mcpOAuth: McpOAuth;
  /** The same for WebSockets. */
  guardedUpgrade: GuardedUpgrade;
  /** For the agent; `undefined` without a search provider's key. */
  webSearch: WebSearch | undefined;
  /** Why an address must not be called, as a sentence, as far as its text shows; `undefined` if there is no reason. */
  refusalOfUrl(url: string): string | undefined;
  chooseModel(name: string | null): Model;
  /** The model behind a person's own key. */
  chooseOwnModel(account: OwnAccount): Model;
  /** Whether a provider takes a person's own key. */
  checkOwnAccount(account: AccountToCheck): Promise<AccountCheck>;
  /** The available models, and the tiers that may use their own keys. */
  modelSettings: ModelSettings;
  log: Log;
  trips: Trips;
}

/** Does what an urgent message says, or has the queue do it. */
export type AtOnce = (services: Services, queue: Queue, message: QueueMessage) => Promise<void>;

/**
 * Adds the services of one request or object to those that an isolate shares. Without `atOnce` the queue has urgent messages as
 * all others.
 */
export function createServices(env: Env, log: Log, atOnce?: AtOnce): Services {
  const trips = newTrips();
  // Created at first use: not every request needs these clients, and creating a database client takes most of the time
  // of a small request.
  let db: Db | undefined;
  let queue: Queue | undefined;
  let commandRunner: CommandRunner | undefined;
  const { platformCalls, ...shared } = sharedServices(env);
  const clients = terminals(env.TERMINALS, trips);
  const archives = r2Archives(env.PROJECT_ARCHIVES);
  const changes = fileChanges(env.PROJECT_SOCKETS, trips, log);
  const services: Services = {
    ...shared,
    get db() {
      return (db ??= createDb({ databaseUrl: env.DATABASE_URL, httpUrl: env.NEON_HTTP_URL, trips }));
    },
    get queue() {
      const { QSTASH_URL: url, QSTASH_TOKEN: token, PUBLIC_URL: publicUrl } = env;
      const made = queue ?? createQueue({ url, token, publicUrl, trips });
      return (queue ??= atOnce ? hastening(made, (message) => atOnce(services, made, message)) : made);
    },
    get commandRunner() {
      const { COMMAND_RUNNER_URL: url, LOADER: loader, ASSETS: assets } = env;
      return (commandRunner ??= createCommandRunner({ url, loader, assets }));
    },
    rateLimits: rateCounts(env.RATE_LIMITER, (rule) => rateLimitOf(rule, env), eventLimits(env), trips),
    attempts: attemptCounts(env.RATE_LIMITER, (rule) => attemptWindowOf(rule, env), trips),
    taskLogs: taskLogs(env.TASK_LOG, trips),
    workspaces: announced(createWorkspaces(env, trips, log), changes),
    fileChanges: changes,
    notices: projectNotices(env.PROJECT_SOCKETS, trips),
    sockets: projectSockets(env.PROJECT_SOCKETS, trips),
    terminals: clients,
    apiEnvironment: { ...platformCalls, terminals: clients },
    channelConnections: channelConnections(env.CHANNEL_CONNECTION, trips),
    gatewayShards: gatewayShards(env.GATEWAY_SHARDS, trips),
    archives,
    mediaCache: r2MediaCache(env.PROJECT_ARCHIVES, archives),
    log,
    trips,
  };
  return services;
}

type SharedServices = Omit<
  Services,
  | "db"
  | "queue"
  | "commandRunner"
  | "rateLimits"
  | "attempts"
  | "taskLogs"
  | "workspaces"
  | "notices"
  | "fileChanges"
  | "sockets"
  | "terminals"
  | "apiEnvironment"
  | "channelConnections"
  | "gatewayShards"
  | "archives"
  | "mediaCache"
  | "log"
  | "trips"
> & {
  /** What calls at messaging platforms need, but for the objects. */
  platformCalls: Omit<ApiEnvironment, "terminals">;
};

const sharedByEnv = new WeakMap<Env, SharedServices>();

/** Services that hold no state of a request and are expensive to create: once per isolate. */
function sharedServices(env: Env): SharedServices {
  const known = sharedByEnv.get(env);
  if (known) return known;
  warnOfNoAdministrator(env);
  const outbound = outboundPolicy(env);
  const guardedFetch = createGuardedFetch({ egressUrl: env.EGRESS_URL, ...outbound });
  const safeFetch = createSafeFetch({ egressUrl: env.EGRESS_URL, ...outbound });
  const redis = createRedis({ url: env.REDIS_URL, token: env.REDIS_TOKEN });
  const made: SharedServices = {
    config: env,
    deliveryStream:
      redis &&
      deliveryStream(redis, { stream: env.GATEWAY_DELIVERY_STREAM, maxLength: env.GATEWAY_DELIVERY_MAXLEN }),
    redisState: () => redisState(redis),
    heartbeats: heartbeats(redis),
    channels: adapters,
    followUps: FOLLOW_UPS,
    platformCalls: {
      baseUrls: platformUrls(env),
      chatPlatformUrl: env.CHAT_PLATFORM_URL,
      fetch: (input, init) => fetch(input, init),
      guardedFetch,
    },
    verifyDelivery: createVerifier({
      currentSigningKey: env.QSTASH_CURRENT_SIGNING_KEY,
      nextSigningKey: env.QSTASH_NEXT_SIGNING_KEY,
    }),
    accessTokens: createAccessTokens({ secret: env.SECRET_KEY, minutes: env.ACCESS_TOKEN_EXPIRE_MINUTES }),
    csrfTokens: createCsrfTokens({
      secret: env.CSRF_SECRET_KEY ?? env.SECRET_KEY,
      maxAgeSeconds: env.CSRF_TOKEN_MAX_AGE,
    }),
    oauth: createOAuthProviders(oauthConfig(env)),
    oauthStates: createOAuthStates({ secret: env.SECRET_KEY }),
    webAuthn: createWebAuthn({
      publicUrl: env.PUBLIC_URL,
      production: env.ENVIRONMENT === "production",
    }),
    previewTokens: createPreviewTokens({ secret: env.SECRET_KEY }),
    ...createSecretsAtRest(env),
    gitHosts: createGitHosts(gitHostConfig(env)),
    hosting: createHosting({ ...hostingOptions(env), safeFetch }),
    gitTransport: (maxBytes) => createGitTransport({ ...outbound, egressUrl: env.EGRESS_URL, maxBytes }),
    mailer: createMailer({
      host: env.SMTP_HOST,
      port: env.SMTP_PORT,
      username: env.SMTP_USERNAME,
      password: env.SMTP_PASSWORD,
      sender: env.SMTP_SENDER_EMAIL,
      useTls: env.SMTP_USE_TLS,
    }),
    payments: paymentsOf(env),
    guardedUpgrade: createGuardedUpgrade({ egressUrl: env.EGRESS_URL, ...outbound }),
    safeFetch,
    mcpClient: createMcpClient({ fetch: guardedFetch }),
    mcpOAuth: createMcpOAuth({ safeFetch, publicUrl: withoutSlash(env.PUBLIC_URL) }),
    webSearch: createWebSearch(webSearchConfig(env)),
    transcription: createTranscription(transcriptionConfig(env)),
    refusalOfUrl: (url) => checkOutboundUrl(url, outbound),
    chooseModel: (name) => choosePlatformModel(modelConfig(env, name)),
    chooseOwnModel: (account) => chooseOwnModel({ account, guardedFetch, ...modelCalls(env) }),
    checkOwnAccount: (account) => checkAccount(account, { guardedFetch, ...modelCalls(env) }),
    modelSettings: modelSettings(env),
  };
  sharedByEnv.set(env, made);
  return made;
}

function warnOfNoAdministrator(env: Env): void {
  if (env.ENVIRONMENT !== "production" || env.ADMIN_EMAIL.length > 0) return;
  createLog().warn(
    "no account becomes an administrator: set ADMIN_EMAIL, or run `npm run admin -- grant EMAIL`",
  );
}

function paymentsOf(env: Env): Payments | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } = env;
  if (secretKey === undefined || webhookSecrets === undefined) return undefined;
  return createPayments({
    secretKey,
    webhookSecrets,
    apiBaseUrl: withoutSlash(env.STRIPE_API_BASE_URL),
    timeoutMs: env.STRIPE_TIMEOUT_SECONDS * 1000,
  });
}
