// A home whose real kernel listens on a free port, and a token of its person.

interface Home {
  gsv(args: string[]): Promise<{ readonly stdout: string }>;
}

export async function servedHome(home: Home): Promise<{ readonly url: string; readonly token: string }> {
  const served = await home.gsv(["serve", "--listen", "127.0.0.1:0", "--json"]);
  const { url } = JSON.parse(served.stdout) as { url: string };
  const token = (await home.gsv(["auth", "token", "create"])).stdout.trim();
  return { url, token };
}
