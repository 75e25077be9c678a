"""What workers know of the items that will follow, also where there is no room to say it."""

from support.file_limit import files_of

from pytest_compaction.session.shared.dealt_items import Dealer, DealtItems, path_for


def test_a_worker_takes_what_was_dealt_since_it_looked(tmp_path):
    dealer, dealt = Dealer(tmp_path), DealtItems(path_for(tmp_path, "gw0"))
    assert dealt.take() == []
    dealer.deal("gw0", ["a[é]", "b"])
    assert dealt.take() == ["a[é]", "b"]
    dealer.deal("gw0", ["c"])
    assert dealt.take() == ["c"]


def test_without_room_a_worker_is_told_less_and_nothing_that_is_torn(tmp_path):
    dealer, dealt = Dealer(tmp_path), DealtItems(path_for(tmp_path, "gw0"))
    with files_of(12):
        dealer.deal("gw0", ["first", "second"])
    dealer.deal("gw0", ["third", "fourth"])
    assert dealt.take() == ["first", "fourth"]
