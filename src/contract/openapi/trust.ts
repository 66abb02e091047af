// How programs trust the panel's own CA, in Markdown, for the OpenAPI file and docs/api.md.

/** The file name of the downloaded CA. */
export const CA_FILE = 'gatehouse-ca.pem';

const NODE = `import { readFileSync } from 'node:fs';
import https from 'node:https';

const { BASE, KEY } = process.env;
const agent = new https.Agent({ ca: readFileSync('${CA_FILE}'), keepAlive: true });
https.get(BASE + '/users', { agent, headers: { Authorization: 'Bearer ' + KEY } }, (reply) => reply.pipe(process.stdout));`;

const PYTHON = `import os, ssl, urllib.request

context = ssl.create_default_context(cafile="${CA_FILE}")
request = urllib.request.Request(os.environ["BASE"] + "/users", headers={"Authorization": "Bearer " + os.environ["KEY"]})
print(urllib.request.urlopen(request, context=context).read().decode())`;

const GO = `package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	pem, err := os.ReadFile("${CA_FILE}")
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		log.Fatal("no certificate in ${CA_FILE}")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	request, err := http.NewRequest("GET", os.Getenv("BASE")+"/users", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
	reply, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer reply.Body.Close()
	io.Copy(os.Stdout, reply.Body)
}`;

const fenced = (lang: string, source: string) => `\`\`\`${lang}\n${source}\n\`\`\``;

/** With the address of the API in `BASE` and a key in `KEY`. */
export const TRUST = `Settings, Certificates has "Download ${CA_FILE}". It is public: it may be in a bot's image. It is needed only while the panel uses its own certificate.
The programs find the address of the API in \`BASE\` and a key in \`KEY\`. With curl: \`--cacert ${CA_FILE}\`.

Node.js, for the whole process, \`fetch\` included: \`NODE_EXTRA_CA_CERTS=${CA_FILE} node bot.js\`. Or for single requests:

${fenced('js', NODE)}

Python, with requests: \`session.verify = "${CA_FILE}"\`. With the standard library:

${fenced('python', PYTHON)}

Go:

${fenced('go', GO)}`;
