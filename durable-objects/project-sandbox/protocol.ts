/** What callers of the `ProjectSandbox` object may rely on; one object per project, by the project's id. */
export interface ProjectSandboxObject extends Rpc.DurableObjectBranded {
  /**
   * What is said to a workspace server (see `platform/runtime/http-runtime/protocol.ts`); the container is started when it does
   * not run. The object itself answers what must outlive the container: `DELETE /`, `/storage…` except what reads the files, and
   * `/todos/<chat>`. It refuses read-only commands and the runtime's own ports as `forbidden`.
   */
  fetch(request: Request): Promise<Response>;
}
