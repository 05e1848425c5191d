/** The part of the package, which has no types, that tests use. */
declare module "heroku-client" {
  interface HerokuRequest {
    body?: object;
    headers?: Record<string, string>;
  }
  export default class Heroku {
    constructor(options: { token: string; host: string });
    get<T>(path: string, options?: HerokuRequest): Promise<T>;
    post<T>(path: string, options?: HerokuRequest): Promise<T>;
    patch<T>(path: string, options?: HerokuRequest): Promise<T>;
    delete<T>(path: string, options?: HerokuRequest): Promise<T>;
  }
}
