"""Answers questions by the official libraries of payment providers. A question is JSON on stdin, its answer JSON on stdout.

`call`: a request as the library makes it, sent to `root`. `statuses`: what it knows of a payment's states. `check`: whether the library's own
model of a request accepts what the panel has sent.
"""
import asyncio
import json
import sys

sys.dont_write_bytecode = True


def heleket(ask):
    from heleket_sdk import ClientOptions, HeleketPayment
    from heleket_sdk._status import PaymentStatus
    from heleket_sdk.types import CreateInvoiceRequest, HistoryOptions, InfoOptions

    if ask["do"] == "statuses":
        known = [status for status in PaymentStatus if status is not PaymentStatus.UNKNOWN]
        return {status.value: {"final": status.is_final(), "successful": status.is_successful()} for status in known}
    if ask["do"] == "check":
        return CreateInvoiceRequest.model_validate(ask["body"]).model_dump(exclude_none=True)
    options = ClientOptions(base_url=ask["root"])
    client = HeleketPayment(merchant_id=ask["fields"]["merchant"], api_key=ask["fields"]["payment_key"], options=options)
    call = {
        "create": lambda: client.create_invoice(CreateInvoiceRequest(**ask["with"])),
        "info": lambda: client.get_info(InfoOptions(**ask["with"])),
        "list": lambda: client.list_history(HistoryOptions(**ask["with"])),
    }[ask["do"]]
    return call().model_dump(mode="json", by_alias=True)


def crypto_pay(ask):
    from aiosend import CryptoPay
    from aiosend.client.network import Network
    from aiosend.enums import Fiat

    if ask["do"] == "currencies":
        return [fiat.value for fiat in Fiat]

    async def run():
        client = CryptoPay(ask["fields"]["api_token"], Network("fake", ask["root"] + "/api/{method}"))
        result = await getattr(client, ask["do"])(**ask["with"])
        return result if isinstance(result, bool) else "done"

    return asyncio.run(run())


def yookassa(ask):
    from yookassa.domain.request import PaymentRequest, RefundRequest

    request = {"payment": PaymentRequest, "refund": RefundRequest}[ask["do"]](ask["body"])
    request.validate()
    return json.loads(json.dumps(dict(request), default=str))


def telegram(ask):
    from aiogram import methods

    model = getattr(methods, ask["do"])
    return model.model_validate(ask["body"]).model_dump(mode="json", exclude_none=True)


def main():
    asks = {"heleket": heleket, "crypto_pay": crypto_pay, "yookassa": yookassa, "telegram": telegram}
    answers = []
    for ask in json.load(sys.stdin):
        try:
            answers.append(asks[ask["of"]](ask))
        except Exception as error:  # noqa: BLE001: what the library refuses is an answer
            answers.append({"refused": f"{type(error).__name__}: {error}"[:500]})
    json.dump(answers, sys.stdout)


main()
