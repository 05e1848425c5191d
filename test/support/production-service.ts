import { startService, type TestService } from "./service.ts";

/** What a deployment sets and `npm start` refuses or fills in otherwise. */
const DEPLOYED = {
  ENVIRONMENT: "production",
  SECRET_KEY: "a-secret-key-of-a-deployment-of-32-characters",
  DEFAULT_MODEL: "gpt-5",
  OPENAI_API_KEY: "sk-unused",
  OUTBOUND_ALLOWED_ORIGINS: "",
  CHAT_PLATFORM_URL: "",
  STRIPE_SECRET_KEY: "",
  STRIPE_WEBHOOK_SECRET: "",
  STRIPE_API_BASE_URL: "",
  HOSTING_STANDIN_URL: "",
  PASSWORD_HASH_COST: "10",
  TWO_FA_HASH_KIB: "19456",
};

/** The service whose Worker believes that it is deployed, between the local servers that a test needs. */
export function startProduction(variables: Readonly<Record<string, string>> = {}): Promise<TestService> {
  return startService({}, { reroute: (local) => ({ ...local, ...DEPLOYED, ...variables }) });
}
