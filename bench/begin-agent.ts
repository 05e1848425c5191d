/** Has an agent begin as a person asks it, and reads nothing of its answer. */
export async function beginAgent(url: string, token: string, message: object): Promise<void> {
  const response = await fetch(`${url}/api/chat/agent/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(message),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`No agent began: ${response.status}`);
}
