/** A request as a test describes it. At most one of `json`, `form` and `body`. */
export interface ApiRequest {
  /** Sent as `Authorization: Bearer …`. */
  token?: string | undefined;
  json?: unknown;
  form?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** An answer, read to its end; a stream that has none, to its first word. */
export interface ApiAnswer<T> {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the answer, as the caller says it is; its text where it is not JSON. */
  body: T;
}

export interface Account {
  id: string;
  token: string;
  email: string;
  username: string;
  password: string;
}

export interface ApiClient {
  url: string;
  call<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
  /** Register a person with a unique name. */
  signUp(name?: string): Promise<Account>;
  /** A project of one's own. */
  newProject(token: string, name?: string): Promise<{ id: string; slug: string }>;
  /** A key with all permissions, bound to a project where one is named. */
  newKey(token: string, projectId?: string): Promise<{ id: string; key: string; webhookSecret: string }>;
}

/** Whether this begins a stream that goes on until its reader leaves. */
export const isEndless = (text: string) => text.startsWith('data: {"type":"ready"}');

async function textOf(response: Response): Promise<string> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!isStream || !response.body) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    if (isEndless(text)) break;
  }
  return text;
}

/**
 * As `fetch`; a GET or HEAD goes once more where the server closed the kept connection as the request left, which it does after
 * five idle seconds. Source: RFC 9110, section 9.2.2.
 */
async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const isRepeatable = request.method === "GET" || request.method === "HEAD";
    const cause: unknown = error instanceof Error && error.cause;
    const isClosed = cause instanceof Error && "code" in cause && cause.code === "UND_ERR_SOCKET";
    if (!isRepeatable || !isClosed) throw error;
    return fetch(url, request);
  }
}

/** A small HTTP client for a service that runs at `url`. */
export function apiClient(url: string): ApiClient {
  async function call<T>(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
    const { token, json, form, body, headers = {} } = request;
    const response = await send(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form) : (body ?? null),
    });
    const text = await textOf(response);
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : text,
    };
  }

  /** As `call`, where anything but success is a broken test. */
  async function expectOk<T>(method: string, path: string, request: ApiRequest): Promise<T> {
    const { status, text, body } = await call<T>(method, path, request);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return body;
  }

  return {
    url,
    call,
    async signUp(name = "person") {
      const username = `${name}-${crypto.randomUUID().slice(0, 8)}`;
      const credentials = { email: `${username}@example.com`, username, password: "correct horse" };
      const made = await expectOk<{ id: string; access_token: string }>("POST", "/api/auth/register", {
        json: credentials,
      });
      return { ...credentials, id: made.id, token: made.access_token };
    },
    newProject: (token, name = "app") =>
      expectOk("POST", "/api/projects", { token, json: { name, source_type: "empty" } }),
    async newKey(token, projectId) {
      const made = await expectOk<{ id: string; key: string; webhook_secret: string }>(
        "POST",
        "/api/external-api-keys",
        { token, json: { name: "key", project_id: projectId ?? null } },
      );
      return { id: made.id, key: made.key, webhookSecret: made.webhook_secret };
    },
  };
}
